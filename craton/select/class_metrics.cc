#include "craton/select/class_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/select/sum.h"

// O(n + k), but for the matrix, which has k^2 cells.

namespace craton {
namespace {

double total(std::span<const double> values) {
  Sum sum;
  for (const double v : values) sum += v;
  return sum.value();
}

std::vector<double> values_of(const std::vector<Sum>& sums) {
  std::vector<double> values;
  for (const Sum& sum : sums) values.push_back(sum.value());
  return values;
}

double weight_of(const LabelPairs& rows, std::size_t i) {
  return rows.weights.empty() ? 1 : rows.weights[i];
}

// n sum_a a_a - a.b, as sum_a a_a (n - b_a).
double spread(std::span<const double> a, std::span<const double> b, double n) {
  Sum sum;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * (n - b[c]);
  return sum.value();
}

}  // namespace

ClassTotals class_totals(const LabelPairs& rows, Index classes) {
  CRATON_ASSERT(rows.truth.size() == rows.predicted.size());
  std::vector<Sum> both(usize(classes)), truth(usize(classes)), predicted(usize(classes));
  for (std::size_t i = 0; i < rows.truth.size(); ++i) {
    if (rows.truth[i] < 0 || rows.predicted[i] < 0) continue;
    const std::size_t a = usize(rows.truth[i]), b = usize(rows.predicted[i]);
    const double w = weight_of(rows, i);
    truth[a] += w;
    predicted[b] += w;
    if (a == b) both[a] += w;
  }
  return {values_of(both), values_of(truth), values_of(predicted)};
}

Array confusion_matrix(const LabelPairs& rows, Index classes) {
  std::vector<Sum> cells(usize(classes * classes));
  for (std::size_t i = 0; i < rows.truth.size(); ++i) {
    if (rows.truth[i] < 0 || rows.predicted[i] < 0) continue;
    cells[usize(rows.truth[i] * classes + rows.predicted[i])] += weight_of(rows, i);
  }
  return {{classes, classes}, values_of(cells)};
}

double accuracy(const ClassTotals& totals) { return total(totals.both) / total(totals.truth); }

double balanced_accuracy(const ClassTotals& totals) {
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  return mean_of(class_scores(totals, 1, kAbsent).recall);
}

double matthews(const ClassTotals& totals) {
  // Of one label alone the variance is 0, whatever rounding leaves of weights.
  const auto labels = [](std::span<const double> weights) {
    return std::ranges::count_if(weights, [](double w) { return w > 0; });
  };
  if (labels(totals.truth) < 2 || labels(totals.predicted) < 2) return 0;
  const double n = total(totals.truth);
  const double covariance = n * total(totals.both) - [&] {
    Sum sum;
    for (std::size_t c = 0; c < totals.both.size(); ++c) {
      sum += totals.truth[c] * totals.predicted[c];
    }
    return sum.value();
  }();
  const double variances =
      spread(totals.truth, totals.truth, n) * spread(totals.predicted, totals.predicted, n);
  return variances > 0 ? covariance / std::sqrt(variances) : 0;
}

ClassScores class_scores(const ClassTotals& totals, double beta, double zero_division) {
  const auto ratio = [&](double a, double b) { return b == 0 ? zero_division : a / b; };
  ClassScores scores;
  for (std::size_t c = 0; c < totals.both.size(); ++c) {
    const double both = totals.both[c], truth = totals.truth[c], predicted = totals.predicted[c];
    const double precision = ratio(both, predicted), recall = ratio(both, truth);
    const double square = beta * beta;
    scores.precision.push_back(precision);
    scores.recall.push_back(recall);
    scores.f.push_back(std::isinf(beta) ? recall
                       : beta == 0      ? precision
                                        : ratio((1 + square) * both, square * truth + predicted));
  }
  return scores;
}

ClassTotals pooled(const ClassTotals& totals) {
  return {{total(totals.both)}, {total(totals.truth)}, {total(totals.predicted)}};
}

double mean_of(std::span<const double> values, std::span<const double> weights) {
  Sum sum, weight;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double w = weights.empty() ? 1 : weights[i];
    if (w == 0) continue;  // an infinite value too
    sum += w * values[i];
    weight += w;
  }
  if (weight.value() == 0 && !weights.empty()) return mean_of(values);
  return sum.value() / weight.value();  // NaN of none
}

}  // namespace craton
