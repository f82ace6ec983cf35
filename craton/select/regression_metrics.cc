#include "craton/select/regression_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "craton/base/error.h"
#include "craton/select/sum.h"

namespace craton {
namespace {

double weight_of(const NumberPairs& rows, std::size_t i) {
  return rows.weights.empty() ? 1 : rows.weights[i];
}

struct Total {
  double sum, weight;
  double mean() const { return sum / weight; }
};

template <class F>
Total total(const NumberPairs& rows, const F& f) {
  CRATON_ASSERT(rows.truth.size() == rows.predicted.size());
  Sum sum, weight;
  for (std::size_t i = 0; i < rows.truth.size(); ++i) {
    const double w = weight_of(rows, i);
    sum += w * f(rows.truth[i], rows.predicted[i]);
    weight += w;
  }
  return {sum.value(), weight.value()};
}

}  // namespace

double mean_squared_error(const NumberPairs& rows) {
  return total(rows, [](double y, double f) { return (y - f) * (y - f); }).mean();
}

double mean_absolute_error(const NumberPairs& rows) {
  return total(rows, [](double y, double f) { return std::abs(y - f); }).mean();
}

double mean_pinball_loss(const NumberPairs& rows, double alpha) {
  return total(rows,
               [&](double y, double f) {
                 const double e = y - f;
                 return e >= 0 ? alpha * e : (alpha - 1) * e;
               })
      .mean();
}

double median_absolute_error(const NumberPairs& rows) {
  std::vector<std::pair<double, double>> errors;  // and their weights
  double all = 0;
  for (std::size_t i = 0; i < rows.truth.size(); ++i) {
    const double w = weight_of(rows, i);
    if (w > 0) errors.emplace_back(std::abs(rows.truth[i] - rows.predicted[i]), w);
  }
  std::sort(errors.begin(), errors.end());
  for (const auto& error : errors) all += error.second;
  double below = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    below += errors[i].second;
    if (below < all / 2) continue;
    const bool half = below - all / 2 <= std::numeric_limits<double>::epsilon();
    const double next = i + 1 < errors.size() ? errors[i + 1].first : errors[i].first;
    return half ? (errors[i].first + next) / 2 : errors[i].first;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double Explained::r2() const {
  if (squared_errors == 0) return 1;
  return squares == 0 ? 0 : 1 - squared_errors / squares;
}

Explained explained(const NumberPairs& rows) {
  const double mean = total(rows, [](double y, double) { return y; }).mean();
  return {total(rows, [](double y, double f) { return (y - f) * (y - f); }).sum,
          total(rows, [&](double y, double) { return (y - mean) * (y - mean); }).sum};
}

}  // namespace craton
