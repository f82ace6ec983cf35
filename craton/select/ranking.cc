#include "craton/select/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/select/sum.h"

// O(n log n) for each ranking: k of them against the rest, k (k - 1) of parts of the rows in pairs.

namespace craton {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

double weight_of(const ClassScoring& rows, Index i) {
  return rows.weights.empty() ? 1 : rows.weights[usize(i)];
}

Ranking rank_class(const ClassScoring& rows, Index c) {
  std::vector<ScoredRow> scored;
  scored.reserve(rows.truth.size());
  for (Index i = 0; i < rows.scores.rows; ++i) {
    scored.push_back({rows.scores.row(i)[c], weight_of(rows, i), rows.truth[usize(i)] == c});
  }
  return rank(std::move(scored));
}

// Among the rows of two classes, one of them by its scores.
double auc_of_pair(const ClassScoring& rows, std::int32_t one, std::int32_t other) {
  std::vector<ScoredRow> scored;
  for (Index i = 0; i < rows.scores.rows; ++i) {
    const std::int32_t label = rows.truth[usize(i)];
    if (label != one && label != other) continue;
    scored.push_back({rows.scores.row(i)[one], weight_of(rows, i), label == one});
  }
  return roc_auc(rank(std::move(scored)));
}

std::vector<double> weights_of_classes(const ClassScoring& rows) {
  std::vector<Sum> sums(usize(rows.scores.cols));
  for (Index i = 0; i < rows.scores.rows; ++i) {
    sums[usize(rows.truth[usize(i)])] += weight_of(rows, i);
  }
  std::vector<double> weights;
  for (const Sum& sum : sums) weights.push_back(sum.value());
  return weights;
}

class Mean {
 public:
  void add(double value, double weight) {
    sum_ += value * weight;
    weight_ += weight;
  }
  double value() const { return sum_.value() / weight_.value(); }

 private:
  Sum sum_, weight_;
};

}  // namespace

Ranking rank(std::vector<ScoredRow> rows) {
  std::erase_if(rows, [](const ScoredRow& row) { return row.weight == 0; });
  std::sort(rows.begin(), rows.end(),
            [](const ScoredRow& a, const ScoredRow& b) { return a.score > b.score; });
  Ranking ranking;
  Sum positives, others;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (rows[i].positive ? positives : others) += rows[i].weight;
    if (i + 1 < rows.size() && rows[i + 1].score == rows[i].score) continue;
    ranking.thresholds.push_back(rows[i].score);
    ranking.positives.push_back(positives.value());
    ranking.others.push_back(others.value());
  }
  return ranking;
}

double roc_auc(const Ranking& ranking) {
  const std::vector<double>&t = ranking.positives, &f = ranking.others;
  if (t.empty() || t.back() <= 0 || f.back() <= 0) return kUndefined;
  Sum area;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double before_t = i == 0 ? 0 : t[i - 1], before_f = i == 0 ? 0 : f[i - 1];
    area += (f[i] - before_f) * (t[i] + before_t) / 2;
  }
  return area.value() / f.back() / t.back();
}

double average_precision(const Ranking& ranking) {
  const std::vector<double>&t = ranking.positives, &f = ranking.others;
  if (t.empty() || t.back() <= 0) return 0;
  Sum sum;
  for (std::size_t i = 0; i < t.size(); ++i) {
    sum += (t[i] - (i == 0 ? 0 : t[i - 1])) * t[i] / (t[i] + f[i]);
  }
  return sum.value() / t.back();
}

Ranking corners(const Ranking& ranking) {
  const auto straight = [](const std::vector<double>& v, std::size_t i) {
    return v[i + 1] - v[i] == v[i] - v[i - 1];
  };
  const std::size_t n = ranking.thresholds.size();
  if (n <= 2) return ranking;
  Ranking kept;
  for (std::size_t i = 0; i < n; ++i) {
    const bool between = i > 0 && i + 1 < n;
    if (between && straight(ranking.positives, i) && straight(ranking.others, i)) continue;
    kept.thresholds.push_back(ranking.thresholds[i]);
    kept.positives.push_back(ranking.positives[i]);
    kept.others.push_back(ranking.others[i]);
  }
  return kept;
}

std::vector<double> one_vs_rest(const ClassScoring& rows, RankingMetric metric) {
  CRATON_ASSERT(rows.scores.rows == std::ssize(rows.truth));
  std::vector<double> scores;
  for (Index c = 0; c < rows.scores.cols; ++c) scores.push_back(metric(rank_class(rows, c)));
  return scores;
}

double one_vs_rest(const ClassScoring& rows, RankingMetric metric, Averaging averaging) {
  if (averaging == Averaging::kMicro) {
    std::vector<ScoredRow> all;
    for (Index i = 0; i < rows.scores.rows; ++i) {
      for (Index c = 0; c < rows.scores.cols; ++c) {
        all.push_back({rows.scores.row(i)[c], weight_of(rows, i), rows.truth[usize(i)] == c});
      }
    }
    return metric(rank(std::move(all)));
  }
  const std::vector<double> scores = one_vs_rest(rows, metric), weights = weights_of_classes(rows);
  Mean mean;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (averaging == Averaging::kMacro) {
      mean.add(scores[c], 1);
    } else if (weights[c] > 0) {
      mean.add(scores[c], weights[c]);
    }
  }
  return mean.value();
}

double roc_auc_one_vs_one(const ClassScoring& rows, Averaging averaging) {
  const std::vector<double> weights = weights_of_classes(rows);
  const auto classes = static_cast<std::int32_t>(weights.size());
  Mean mean;
  for (std::int32_t a = 0; a < classes; ++a) {
    for (std::int32_t b = a + 1; b < classes; ++b) {
      if (weights[usize(a)] == 0 || weights[usize(b)] == 0) continue;
      const double both = weights[usize(a)] + weights[usize(b)];
      mean.add((auc_of_pair(rows, a, b) + auc_of_pair(rows, b, a)) / 2,
               averaging == Averaging::kWeighted ? both : 1);
    }
  }
  return mean.value();
}

}  // namespace craton
