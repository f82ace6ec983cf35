#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// How well probabilities of labels are predicted. With p_ic = p(row i has label c) and y_i its
// label, means over the rows, by weight:
//
//   log loss   -log max(epsilon, min(p_{i y_i}, 1 - epsilon))
//   Brier      sum_c (p_ic - [c = y_i])^2    (Brier 1950; half of it, for two classes, is his score
//                                             of one of them)

namespace craton {

struct ProbableRows {
  std::span<const std::int32_t> truth;  // 0..classes-1
  Dense<double> probabilities;          // rows x classes
  std::span<const double> weights = {};
};

double log_loss(const ProbableRows& rows, double epsilon);
double brier(const ProbableRows& rows);

// Where predictions of a positive class fall into bins, and how often it is there: for each bin
// that is not empty, the mean of what was predicted and the share of positive rows. Bin b holds
// edges[b] < p <= edges[b + 1], and the first one its lower edge too.
struct CalibrationCurve {
  std::vector<double> predicted, positive;
};
CalibrationCurve calibration_curve(std::span<const std::int32_t> positive,
                                   std::span<const double> probability,
                                   std::span<const double> edges);
std::vector<double> uniform_edges(Index bins);  // of [0, 1]
// So that as many predictions fall into each bin. requires at least one.
std::vector<double> quantile_edges(std::span<const double> probability, Index bins);

}  // namespace craton
