#include "craton/density/local_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/exp_log.h"

// O(rows x columns) a look; a line takes O(near rows x columns^2 + columns^3) more.

namespace craton {
namespace {

// Directions in which rows spread by less than this share of where they spread most, squared, tell
// no slope.
constexpr double kLeastSpread = 1e-13, kNarrowestSpread = 1e-290;

double profile_that_ends(SmoothingKernel kernel, double square) {
  if (!(square < 1)) return 0;
  const double u = std::sqrt(square), rest = 1 - square;
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return rest;
    case SmoothingKernel::kBiweight:
      return rest * rest;
    case SmoothingKernel::kTriweight:
      return rest * rest * rest;
    case SmoothingKernel::kTricube: {
      const double cube = 1 - square * u;
      return cube * cube * cube;
    }
    case SmoothingKernel::kLinear:
      return 1 - u;
    case SmoothingKernel::kCosine:
      return std::cos(std::numbers::pi / 2 * u);
    default:
      return 1;  // tophat
  }
}

// log k of a kernel without end, but for a constant.
double log_endless_profile(SmoothingKernel kernel, double square) {
  if (kernel == SmoothingKernel::kGaussian) return -square / 2;
  const double u = std::sqrt(square);
  return kernel == SmoothingKernel::kExponential ? -u : -u - 2 * std::log1p(std::exp(-u));
}

}  // namespace

LocalFit::LocalFit(const Points& points, SmoothingKernel kernel, std::span<const double> bandwidths,
                   Index degree)
    : points_(points),
      kernel_(kernel),
      bandwidths_(bandwidths),
      degree_(degree),
      squares_(usize(points.size())),
      weights_(points.weights.all()) {}

bool LocalFit::look_from(const double* x, Index left_out) {
  x_ = x;
  const Index d = columns();
  double least = INFINITY;
  for (Index i = 0; i < points_.size(); ++i) {
    const double* const row = points_.view().row(i);
    double square = 0;
    for (Index j = 0; j < d; ++j) {
      const double gap = (x[j] - row[j]) / bandwidths_[usize(j)];
      square += gap * gap;
    }
    squares_[usize(i)] = square;
    weights_[usize(i)] = points_.weights[usize(i)];
    if (i == left_out) weights_[usize(i)] = std::max(weights_[usize(i)] - 1, 0.0);
    if (weights_[usize(i)] > 0) least = std::min(least, square);
  }
  near_.clear();
  shares_.clear();
  const bool alone = points_.size() == 1 && weights_[0] == 0;  // none is left
  if (!std::isfinite(least)) return alone;
  outside_ = is_compact(kernel_) && !(least < 1);
  find_kernels(least);
  double sum = 0;
  for (Index i = 0; i < points_.size(); ++i) {
    const double share = weights_[usize(i)] * squares_[usize(i)];  // w k
    if (!(share > 0)) continue;
    near_.push_back(i);
    shares_.push_back(share);
    sum += share;
  }
  for (double& p : shares_) p /= sum;
  leading_ = shares_;
  if (degree_ > 0 && !outside_) weigh_line();
  return true;
}

// k of each square, in its place.
void LocalFit::find_kernels(double least) {
  if (outside_) {
    for (double& v : squares_) v = v == least ? 1 : 0;
  } else if (is_compact(kernel_)) {
    for (double& v : squares_) v = profile_that_ends(kernel_, v);
  } else {
    const double greatest = log_endless_profile(kernel_, least);
    for (double& v : squares_) v = std::min(log_endless_profile(kernel_, v) - greatest, 0.0);
    exp_all(squares_);
  }
}

// With z = (y - x) / h and the means of z: l_i = p_i (1 - (z_i - mean)' C^+ mean), where C is the
// covariance of z.
void LocalFit::weigh_line() {
  const Index d = columns();
  const std::size_t count = near_.size();
  std::vector<double> z(count * usize(d)), mean(usize(d)), covariance(usize(d * d));
  for (std::size_t i = 0; i < count; ++i) {
    const double* const row = points_.view().row(near_[i]);
    for (std::size_t j = 0; j < usize(d); ++j) {
      z[i * usize(d) + j] = (row[j] - x_[j]) / bandwidths_[j];
      mean[j] += shares_[i] * z[i * usize(d) + j];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    double* const own = &z[i * usize(d)];
    for (std::size_t j = 0; j < usize(d); ++j) own[j] -= mean[j];
    for (std::size_t j = 0; j < usize(d); ++j) {
      for (std::size_t k = 0; k < usize(d); ++k) {
        covariance[j * usize(d) + k] += shares_[i] * own[j] * own[k];
      }
    }
  }
  const SymmetricEigen eigen = eigen_symmetric(covariance, d);
  std::vector<double> slope(usize(d));  // C^+ mean
  for (std::size_t v = 0; v < usize(d); ++v) {
    const double spread = eigen.values[v];
    if (!(spread > kLeastSpread * eigen.values.back()) || spread < kNarrowestSpread) continue;
    double along = 0;
    for (std::size_t j = 0; j < usize(d); ++j) along += eigen.vectors[j * usize(d) + v] * mean[j];
    for (std::size_t j = 0; j < usize(d); ++j) {
      slope[j] += eigen.vectors[j * usize(d) + v] * (along / spread);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    double turn = 0;
    for (std::size_t j = 0; j < usize(d); ++j) turn += z[i * usize(d) + j] * slope[j];
    leading_[i] = shares_[i] * (1 - turn);
  }
}

// About the number of the first row: an offset costs no digits.
double LocalFit::value() {
  const double about = number(near_[0]);
  double sum = 0;
  for (std::size_t i = 0; i < near_.size(); ++i) sum += leading_[i] * (number(near_[i]) - about);
  return about + sum;
}

LocalFit::Spread LocalFit::spread() {
  const double m = value();
  double squares = 0, around = 0, leading = 0;
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const double w = weights_[usize(near_[i])], gap = number(near_[i]) - m;
    squares += shares_[i] * gap * gap;
    around += shares_[i] * shares_[i] / w;
    leading += leading_[i] * leading_[i] / w;
  }
  const double rows = 1 / around;
  const double variance = rows > 1 ? squares * (rows / (rows - 1)) : NAN;
  return {1 / leading, std::sqrt(variance * leading)};
}

double error_left_out(const Points& points, SmoothingKernel kernel,
                      std::span<const double> bandwidths, Index degree, Index some,
                      const Exec& exec) {
  constexpr Index kTogether = 32;  // rows of a task
  const Index n = points.size();
  std::vector<double> squares(usize(some)), weights(usize(some));
  for_each((some + kTogether - 1) / kTogether, exec, [&](Index task) {
    LocalFit fit(points, kernel, bandwidths, degree);
    for (Index i = task * kTogether; i < std::min(some, (task + 1) * kTogether); ++i) {
      const Index row = i * n / some;
      const double* const at = points.view().row(row);
      if (!fit.look_from(at, row) || fit.empty()) continue;
      const double gap = at[points.columns - 1] - fit.value();
      squares[usize(i)] = gap * gap;
      weights[usize(i)] = points.weights[usize(row)];
    }
  });
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    sum += weights[i] * squares[i];
    weight += weights[i];
  }
  return weight > 0 ? sum / weight : 0;
}

}  // namespace craton
