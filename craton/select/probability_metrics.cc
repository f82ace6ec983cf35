#include "craton/select/probability_metrics.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/select/sum.h"

// O(n k); the curve O(n log bins), and the sort for its quantiles.

namespace craton {
namespace {

template <class F>
double mean_over(const ProbableRows& rows, const F& loss) {
  CRATON_ASSERT(rows.probabilities.rows == std::ssize(rows.truth));
  Sum sum, weight;
  for (Index i = 0; i < rows.probabilities.rows; ++i) {
    const double w = rows.weights.empty() ? 1 : rows.weights[usize(i)];
    if (w == 0) continue;
    sum += w * loss(rows.probabilities.row(i), rows.truth[usize(i)]);
    weight += w;
  }
  return sum.value() / weight.value();
}

}  // namespace

double log_loss(const ProbableRows& rows, double epsilon) {
  return mean_over(rows, [&](const double* p, std::int32_t label) {
    return -std::log(std::clamp(p[label], epsilon, 1 - epsilon));
  });
}

double brier(const ProbableRows& rows) {
  return mean_over(rows, [&](const double* p, std::int32_t label) {
    double sum = 0;
    for (Index c = 0; c < rows.probabilities.cols; ++c) {
      const double miss = p[c] - (c == label ? 1 : 0);
      sum += miss * miss;
    }
    return sum;
  });
}

CalibrationCurve calibration_curve(std::span<const std::int32_t> positive,
                                   std::span<const double> probability,
                                   std::span<const double> edges) {
  const std::size_t bins = edges.size() - 1;
  std::vector<Sum> predicted(bins);
  std::vector<double> count(bins), seen(bins);
  for (std::size_t i = 0; i < probability.size(); ++i) {
    const auto bin = usize(std::lower_bound(edges.begin() + 1, edges.end() - 1, probability[i]) -
                           edges.begin() - 1);
    predicted[bin] += probability[i];
    seen[bin] += positive[i];
    ++count[bin];
  }
  CalibrationCurve curve;
  for (std::size_t b = 0; b < bins; ++b) {
    if (count[b] == 0) continue;
    curve.predicted.push_back(predicted[b].value() / count[b]);
    curve.positive.push_back(seen[b] / count[b]);
  }
  return curve;
}

std::vector<double> uniform_edges(Index bins) {
  std::vector<double> edges;
  const double width = 1.0 / static_cast<double>(bins);
  for (Index b = 0; b < bins; ++b) edges.push_back(static_cast<double>(b) * width);
  edges.push_back(1);
  return edges;
}

std::vector<double> quantile_edges(std::span<const double> probability, Index bins) {
  CRATON_ASSERT(!probability.empty());
  std::vector<double> sorted(probability.begin(), probability.end());
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  std::vector<double> edges = uniform_edges(bins);
  for (double& edge : edges) {  // by per cent, and between two values from the nearer one: as NumPy
    const double at = edge * 100 / 100 * last, below = std::floor(at), share = at - below;
    const double low = sorted[static_cast<std::size_t>(below)];
    const double high = sorted[static_cast<std::size_t>(std::min(below + 1, last))];
    edge = share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
  }
  return edges;
}

}  // namespace craton
