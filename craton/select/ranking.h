#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// How well scores put positive rows before the others. Rows are called positive from a threshold
// on; with T and F the weights of rows rightly and wrongly called so at the i-th threshold from
// above,
//
//   ROC AUC             sum_i (F_i - F_{i-1}) (T_i + T_{i-1}) / 2 / (F T)   (Hanley, McNeil 1982)
//   average precision   sum_i (T_i - T_{i-1}) / T  *  T_i / (T_i + F_i)
//
// which count a tie as half. For many classes each is scored against the rest, or each pair of
// classes by both of their scores (Hand and Till 2001).

namespace craton {

struct ScoredRow {
  double score, weight;
  bool positive;
};

// At each different score, from above, the weight of the rows that have it or more.
struct Ranking {
  std::vector<double> thresholds, positives, others;
};
Ranking rank(std::vector<ScoredRow> rows);  // rows of weight 0 are left out

double roc_auc(const Ranking& ranking);            // NaN without rows of both kinds
double average_precision(const Ranking& ranking);  // 0 without positive rows

// Those between two others in a straight line add nothing to a picture.
Ranking corners(const Ranking& ranking);

struct ClassScoring {
  std::span<const std::int32_t> truth;  // 0..classes-1
  Dense<double> scores;                 // rows x classes
  std::span<const double> weights = {};
};

enum class Averaging { kMicro, kMacro, kWeighted };

// Each class against the rest. A class without rows has no AUC: the macro mean is NaN then, and it
// counts nothing in the weighted one. kMicro: all classes as one ranking.
using RankingMetric = double (*)(const Ranking&);
std::vector<double> one_vs_rest(const ClassScoring& rows, RankingMetric metric);
double one_vs_rest(const ClassScoring& rows, RankingMetric metric, Averaging averaging);

// The mean over pairs of the classes that have rows, weighted by their share of these if so asked.
double roc_auc_one_vs_one(const ClassScoring& rows, Averaging averaging);

}  // namespace craton
