#include "craton/classes/discriminant/discriminant_axes.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"

namespace craton {
namespace {

// The first of those that are largest, but for rounding: so that rounding turns no axis round.
std::size_t leading(std::span<const double> v) {
  constexpr double kAlike = 1e-6;
  double largest = 0;
  for (const double a : v) largest = std::max(largest, std::abs(a));
  std::size_t at = 0;
  while (std::abs(v[at]) < largest * (1 - kAlike)) ++at;
  return at;
}

}  // namespace

// With Z_c = sqrt(p(c)) L (mu_c - m) and Z Z' u = l u, an axis is v = L' Z' u / sqrt(l).
DiscriminantAxes find_axes(const GaussianClasses& gaussians, Index most, double tol) {
  CRATON_ASSERT(gaussians.shared());
  const std::size_t k = usize(gaussians.classes()), d = usize(gaussians.columns());
  const std::vector<double> centre = gaussians.centre();
  std::vector<double> lower(d * d), z(k * d), gram(k * k);
  for (std::size_t j = 0; j < d; ++j) {
    lower[j * d + j] = 1 / std::sqrt(gaussians.variance(0, static_cast<Index>(j)));
  }
  if (gaussians.full()) lower = gaussians.whitenings()[0].lower;
  for (std::size_t c = 0; c < k; ++c) {
    const double root = std::exp(gaussians.log_prior().values[c] / 2);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        z[c * d + i] += lower[i * d + j] * root * (gaussians.means().values[c * d + j] - centre[j]);
      }
    }
  }
  for (std::size_t a = 0; a < k * k; ++a) {
    for (std::size_t j = 0; j < d; ++j) gram[a] += z[a / k * d + j] * z[a % k * d + j];
  }
  const SymmetricEigen eigen = eigen_symmetric(gram, static_cast<Index>(k));
  const std::size_t limit = std::min({k - 1, d, most == 0 ? d : usize(most)});
  const double top = eigen.values[k - 1];
  double total = 0;
  std::size_t axes = 0;
  for (const double l : eigen.values) total += std::max(l, 0.0);
  while (axes < limit && top > 0 && eigen.values[k - 1 - axes] > tol * tol * top) ++axes;

  const Index rows = gaussians.columns(), cols = static_cast<Index>(axes);
  DiscriminantAxes result{{{rows, cols}, std::vector<double>(d * axes)}, {{cols}, {}}};
  for (std::size_t a = 0; a < axes; ++a) {
    const double l = eigen.values[k - 1 - a];
    result.explained_variance_ratio.values.push_back(l / total);
    std::vector<double> v(d), scaled(d);
    for (std::size_t i = 0; i < d; ++i) {
      double along = 0;
      for (std::size_t c = 0; c < k; ++c) along += z[c * d + i] * eigen.vectors[c * k + k - 1 - a];
      for (std::size_t j = 0; j <= i; ++j) v[j] += lower[i * d + j] * along / std::sqrt(l);
    }
    for (std::size_t j = 0; j < d; ++j) {
      scaled[j] = v[j] * std::sqrt(gaussians.variance(0, static_cast<Index>(j)));
    }
    const double sign = scaled[leading(scaled)] < 0 ? -1 : 1;
    for (std::size_t j = 0; j < d; ++j) result.scalings.values[j * axes + a] = sign * v[j];
  }
  return result;
}

}  // namespace craton
