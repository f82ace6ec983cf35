#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// How well labels are predicted. With N_ab the weight of the rows of class a that were called b,
// its row sums t_a (truth), column sums p_a (predictions) and n = sum N:
//
//   accuracy            sum_a N_aa / n
//   balanced accuracy   mean over the classes with t_a > 0 of N_aa / t_a
//   precision, recall   N_aa / p_a,  N_aa / t_a
//   F_beta              (1 + beta^2) N_aa / (beta^2 t_a + p_a)
//   Matthews            (n sum N_aa - t.p) / sqrt((n^2 - p.p) (n^2 - t.t))   (Gorodkin 2004)

namespace craton {

// Labels of 0..classes-1, and a weight for each row unless all are 1.
struct LabelPairs {
  std::span<const std::int32_t> truth, predicted;
  std::span<const double> weights = {};
};

// What all of these but the matrix are made of: N_aa, t_a and p_a. Rows with a label of -1 are left
// out.
struct ClassTotals {
  std::vector<double> both, truth, predicted;
};
ClassTotals class_totals(const LabelPairs& rows, Index classes);

// N, classes x classes, likewise.
Array confusion_matrix(const LabelPairs& rows, Index classes);

double accuracy(const ClassTotals& totals);
double balanced_accuracy(const ClassTotals& totals);  // NaN when no row has a weight
double matthews(const ClassTotals& totals);           // 0 where it is 0 / 0

struct ClassScores {
  std::vector<double> precision, recall, f;  // by class
};
// `zero_division` where a denominator is 0. requires beta >= 0, which may be infinite.
ClassScores class_scores(const ClassTotals& totals, double beta, double zero_division);

// All classes as if they were one: the sums.
ClassTotals pooled(const ClassTotals& totals);

// The mean of the values that are numbers, weighted unless there are no weights, or they are all 0.
double mean_of(std::span<const double> values, std::span<const double> weights = {});

}  // namespace craton
