#include "craton/kernels/smoothing/line_decays.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/smoothing/point_weights.h"

namespace craton {

LineDecays::LineDecays(double h, std::span<const double> points, std::span<const double> weights)
    : h_(h), left_{0} {
  const Index n = std::ssize(points);
  right_.resize(usize((n + kStep - 1) / kStep));
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    if (i > 0) sum *= std::exp(-(points[usize(i)] - points[usize(i - 1)]) / h);
    sum += weight_of(weights, i);
    if ((i + 1) % kStep == 0) left_.push_back(sum);
  }
  sum = 0;
  for (Index i = n; i-- > 0;) {
    if (i + 1 < n) sum *= std::exp(-(points[usize(i + 1)] - points[usize(i)]) / h);
    sum += weight_of(weights, i);
    if (i % kStep == 0) right_[usize(i / kStep)] = sum;
  }
}

double LineDecays::log_sum(double x, std::span<const double> points,
                           std::span<const double> weights) const {
  const Index n = std::ssize(points);
  const Index right = std::lower_bound(points.begin(), points.end(), x) - points.begin();
  const Index low = right / kStep, high = (right + kStep - 1) / kStep;
  double nearest = INFINITY;
  if (right > 0) nearest = (x - points[usize(right - 1)]) / h_;
  if (right < n) nearest = std::min(nearest, (points[usize(right)] - x) / h_);
  double sum = 0;
  const auto add = [&](double weight, Index at) {
    sum += weight * std::exp(nearest - std::abs(x - points[usize(at)]) / h_);
  };
  if (low > 0) add(left_[usize(low)], low * kStep - 1);
  for (Index i = low * kStep; i < std::min(high * kStep, n); ++i) add(weight_of(weights, i), i);
  if (high * kStep < n) add(right_[usize(high)], high * kStep);
  return std::log(sum) - nearest;
}

}  // namespace craton
