#include "craton/kernels/smoothing/line_moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "craton/kernels/smoothing/point_weights.h"

// Moments of n points cost O(n g), and (g + 1) / 16 numbers of memory a point; a sum costs
// O(log n + g^2) and about 16 kernels.

namespace craton {
namespace {

constexpr double kHalfPi = std::numbers::pi / 2;
constexpr double kLastCell = 0x1p50;  // numbers of cells beyond this are not exact

std::vector<double> coefficients_of(SmoothingKernel kernel) {
  switch (kernel) {
    case SmoothingKernel::kTophat:
      return {1};
    case SmoothingKernel::kEpanechnikov:
      return {1, 0, -1};
    case SmoothingKernel::kBiweight:
      return {1, 0, -2, 0, 1};
    case SmoothingKernel::kTriweight:
      return {1, 0, -3, 0, 3, 0, -1};
    case SmoothingKernel::kTricube:
      return {1, 0, 0, -3, 0, 0, 3, 0, 0, -1};
    case SmoothingKernel::kLinear:
      return {1, -1};
    default:
      return {1, 1};  // the cosine's
  }
}

bool has_kink(SmoothingKernel kernel) {
  return kernel == SmoothingKernel::kTricube || kernel == SmoothingKernel::kLinear;
}

}  // namespace

double LineMoments::centre(double y) const { return (std::floor(y / width_) + 0.5) * width_; }

void LineMoments::add_powers(double z, double weight, double* moments, double* rests) const {
  const auto add = [&](std::size_t s, double term) {  // what rounding takes is kept
    const double sum = moments[s] + term, part = sum - moments[s];
    rests[s] += (moments[s] - (sum - part)) + (term - part);
    moments[s] = sum;
  };
  if (kernel_ == SmoothingKernel::kCosine) {
    add(0, weight * std::cos(kHalfPi * z));
    add(1, weight * std::sin(kHalfPi * z));
    return;
  }
  for (std::size_t s = 0; s < coefficients_.size(); ++s) {
    add(s, weight);
    weight *= z;
  }
}

// sum_s (-1)^s k^(s)(t) / s! m_s, or, for points on the right of x, sum_s k^(s)(-t) / s! m_s.
void LineMoments::add_moments(double t, bool right, const double* moments, double* value) const {
  if (kernel_ == SmoothingKernel::kCosine) {
    *value += std::cos(kHalfPi * t) * moments[0] + std::sin(kHalfPi * t) * moments[1];
    return;
  }
  std::array<double, kMost> shifted{};
  const std::size_t count = coefficients_.size();
  std::copy(coefficients_.begin(), coefficients_.end(), shifted.begin());
  const double by = right ? -t : t;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    for (std::size_t j = count - 1; j-- > i;) {
      shifted[j] = std::fma(by, shifted[j + 1], shifted[j]);
    }
  }
  double sum = 0;
  for (std::size_t s = count; s-- > 0;) {
    sum += (right || s % 2 == 0 ? 1 : -1) * shifted[s] * moments[s];
  }
  *value += sum;
}

double LineMoments::bound(double t) const {
  double sum = 0;
  for (std::size_t s = coefficients_.size(); s-- > 0;) {
    sum = std::fma(sum, t, std::abs(coefficients_[s]));
  }
  const auto terms = static_cast<double>(coefficients_.size());
  return 0x1p-53 * (10 * terms + 20) * sum;
}

double LineMoments::profile(double u) const {
  if (kernel_ == SmoothingKernel::kCosine) return std::cos(kHalfPi * u);
  double sum = 0;
  for (std::size_t s = coefficients_.size(); s-- > 0;) sum = std::fma(sum, u, coefficients_[s]);
  return sum;
}

LineMoments::LineMoments(SmoothingKernel kernel, double h, std::span<const double> points,
                         std::span<const double> weights)
    : kernel_(kernel),
      h_(h),
      width_(std::exp2(std::floor(std::log2(h)))),
      coefficients_(coefficients_of(kernel)) {
  const double farthest = std::max(std::abs(points.front()), std::abs(points.back()));
  if (!(farthest / width_ < kLastCell)) return;
  const std::size_t count = coefficients_.size(), n = points.size();
  std::array<double, kMost> moments{}, rests{};
  const auto keep = [&](std::vector<double>& to) {
    for (std::size_t s = 0; s < count; ++s) to.push_back(moments[s] + rests[s]);
  };
  double weight = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double middle = centre(points[i]);
    if (centres_.empty() || middle != centres_.back()) {
      if (i > 0) keep(totals_);
      if (i > 0) cell_weights_.push_back(weight);
      centres_.push_back(middle);
      moments = rests = {};
      weight = 0;
    }
    if (i % kStep == 0) keep(up_to_);
    if (i % kStep == 0) cell_of_.push_back(std::ssize(centres_) - 1);
    const double w = weight_of(weights, static_cast<Index>(i));
    weight += w;
    add_powers((points[i] - middle) / h_, w, moments.data(), rests.data());
  }
  keep(totals_);
  cell_weights_.push_back(weight);
  if (n % kStep == 0) keep(up_to_);
  if (n % kStep == 0) cell_of_.push_back(std::ssize(centres_) - 1);
}

void LineMoments::add_points(double x, Index first, Index last, std::span<const double> points,
                             std::span<const double> weights, Sum& sum) const {
  const double error = bound(1);
  for (Index i = first; i < last; ++i) {
    const double w = weight_of(weights, i);
    sum.value += w * profile(std::abs(x - points[usize(i)]) / h_);
    sum.error += w * error;
  }
}

// The points [first, last), all on one side of x if the kernel has a kink there.
void LineMoments::add_range(double x, bool right, Index first, Index last,
                            std::span<const double> points, std::span<const double> weights,
                            Sum& sum) const {
  const Index low = (first + kStep - 1) / kStep, high = last / kStep;
  if (low >= high) return add_points(x, first, last, points, weights, sum);
  add_points(x, first, low * kStep, points, weights, sum);
  add_points(x, high * kStep, last, points, weights, sum);
  const std::size_t count = coefficients_.size();
  const Index from = cell_of_[usize(low)], to = cell_of_[usize(high)];
  for (Index c = from; c <= to; ++c) {
    const double* const all = c < to ? &totals_[usize(c) * count] : &up_to_[usize(high) * count];
    std::array<double, kMost> moments{};
    for (std::size_t s = 0; s < count; ++s) {
      moments[s] = c > from ? all[s] : all[s] - up_to_[usize(low) * count + s];
    }
    const double t = (x - centres_[usize(c)]) / h_;
    add_moments(t, right, moments.data(), &sum.value);
    sum.error += cell_weights_[usize(c)] * bound(std::abs(t) + 0.5);
  }
}

std::optional<LineMoments::Sum> LineMoments::at(double x, std::span<const double> points,
                                                std::span<const double> weights) const {
  if (centres_.empty()) return {};
  const auto inside = [&](double y) { return (x - y) * (x - y) < h_ * h_; };
  const auto place_of = [&](const auto& before) {
    return std::partition_point(points.begin(), points.end(), before) - points.begin();
  };
  const Index first = place_of([&](double y) { return y < x && !inside(y); });
  const Index last = place_of([&](double y) { return y <= x || inside(y); });
  Sum sum;
  if (has_kink(kernel_)) {
    const Index middle = place_of([&](double y) { return y <= x; });
    add_range(x, false, first, middle, points, weights, sum);
    add_range(x, true, middle, last, points, weights, sum);
  } else {
    add_range(x, false, first, last, points, weights, sum);
  }
  // Points that rounding has put on the other side of the end.
  const double end = h_ * (1 + 0x1p-49);
  for (Index i = first; i-- > 0 && x - points[usize(i)] < end;) {
    sum.error += 0x1p-48 * weight_of(weights, i);
  }
  for (Index i = last; i < std::ssize(points) && points[usize(i)] - x < end; ++i) {
    sum.error += 0x1p-48 * weight_of(weights, i);
  }
  return sum;
}

}  // namespace craton
