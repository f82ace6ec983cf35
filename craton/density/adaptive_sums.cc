#include "craton/density/adaptive_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "craton/base/error.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

constexpr Index kTogether = 512;
constexpr double kUnit = 0x1p-53;

double added(double a, double b) {  // logarithms
  const double top = std::max(a, b);
  return top == kNever ? top : top + std::log(std::exp(a - top) + std::exp(b - top));
}

}  // namespace

double log_profile(SmoothingKernel kernel, double u) {
  if (is_compact(kernel) && u >= 1) return kNever;
  const double s = (1 - u) * (1 + u);
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return -u * u / 2;
    case SmoothingKernel::kExponential:
      return -u;
    case SmoothingKernel::kLogistic:
      return std::log(4.0) - u - 2 * std::log1p(std::exp(-u));
    case SmoothingKernel::kTophat:
      return 0;
    case SmoothingKernel::kLinear:
      return std::log1p(-u);
    case SmoothingKernel::kEpanechnikov:
      return std::log(s);
    case SmoothingKernel::kBiweight:
      return 2 * std::log(s);
    case SmoothingKernel::kTriweight:
      return 3 * std::log(s);
    case SmoothingKernel::kTricube:
      return 3 * std::log((1 - u) * (1 + u + u * u));
    case SmoothingKernel::kCosine:
      return std::log(std::sin(std::numbers::pi / 2 * (1 - u)));
  }
  return kNever;
}

AdaptiveSums::AdaptiveSums(SmoothingKernel kernel, std::vector<double> bandwidths,
                           const Points& points, std::vector<double> scales)
    : kernel_(kernel),
      bandwidths_(std::move(bandwidths)),
      points_(points),
      scales_(std::move(scales)),
      weight_(points.weight()) {
  CRATON_ASSERT(ssize(scales_) == points.size());
  narrowest_ = *std::ranges::min_element(scales_);
  widest_ = *std::ranges::max_element(scales_);
  for (Index i = 0; i < points.size(); ++i) {
    log_scales_.push_back(std::log(scales_[usize(i)]));
    log_weights_.push_back(std::log(points.weights[usize(i)]));
  }
}

double AdaptiveSums::log_weight(Index first) const {
  std::vector<double> logs;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    logs.push_back(log_weights_[i] - static_cast<double>(first) * log_scales_[i]);
  }
  return log_sum_exp(logs);
}

KernelSum AdaptiveSums::at(const double* x, Index first) const {
  const auto d = static_cast<double>(first);
  std::array<double, usize(kTogether)> logs, inside;
  double log_sum = kNever, log_inside = kNever, log_all = kNever, largest = 0;
  for (Index begin = 0; begin < points_.size(); begin += kTogether) {
    const Index count = std::min(kTogether, points_.size() - begin);
    std::array<double, usize(kTogether)> all;
    for (Index k = 0; k < count; ++k) {
      const Index i = begin + k;
      const double* const row = points_.view().row(i);
      double square = 0;
      for (Index j = 0; j < first; ++j) {
        const double u = (x[j] - row[j]) / bandwidths_[usize(j)];
        square += u * u;
      }
      const double u = std::sqrt(square) / scales_[usize(i)];
      const double log_v = log_weights_[usize(i)] - d * log_scales_[usize(i)];
      if (!std::isfinite(u)) return {kNever, INFINITY};
      all[usize(k)] = log_v;
      logs[usize(k)] = log_v + log_profile(kernel_, u);
      inside[usize(k)] = u < 1 + 1e-9 ? log_v : kNever;
      largest = std::max(largest, std::abs(log_v));
    }
    const std::size_t size = usize(count);
    log_sum = added(log_sum, log_sum_exp({logs.data(), size}));
    log_inside = added(log_inside, log_sum_exp({inside.data(), size}));
    log_all = added(log_all, log_sum_exp({all.data(), size}));
  }
  if (log_sum == kNever) return {kNever, 0};
  const double delta = (d + 16) * kUnit, n = static_cast<double>(points_.size());
  double error = (600 + n / kTogether + 4 * (largest + d) + 4 * std::abs(log_sum)) * kUnit;
  if (!is_compact(kernel_)) {
    error += 2 * delta * (std::max(log_all - log_sum, 0.0) + std::log(4.0));
  } else if (kernel_ != SmoothingKernel::kTophat) {
    error += 2 * delta * kSteepest * std::exp(log_inside - log_sum);
  }
  return {log_sum, error};
}

}  // namespace craton
