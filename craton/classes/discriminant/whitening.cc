#include "craton/classes/discriminant/whitening.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/kernels/algebra/linalg.h"

// O(d^3); a decomposition into eigenvalues, ten times as long, only where Sigma is singular.

namespace craton {
namespace {

double log_diagonal(std::span<const double> lower, std::size_t d) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) sum += std::log(lower[j * d + j]);
  return sum;
}

// A = E^-1/2 V' / scale of the eigenvalues E and vectors V that are kept; L'L = A'A.
Whitening reduced(std::span<const double> correlation, std::span<const double> scale,
                  double least) {
  const std::size_t d = scale.size();
  const SymmetricEigen eigen = eigen_symmetric(correlation, static_cast<Index>(d));
  Whitening result;
  result.least = std::max(0.0, eigen.values[0]);
  for (std::size_t j = 1; j < d; ++j) {
    const std::size_t so_far = usize(result.column);
    if (std::abs(eigen.vectors[j * d]) > std::abs(eigen.vectors[so_far * d])) {
      result.column = static_cast<Index>(j);
    }
  }
  std::vector<double> a;
  for (std::size_t l = 0; l < d; ++l) {
    if (!(eigen.values[l] > least)) continue;
    for (std::size_t j = 0; j < d; ++j) {
      a.push_back(eigen.vectors[j * d + l] / std::sqrt(eigen.values[l]) / scale[j]);
    }
  }
  const std::size_t rank = a.size() / d;
  result.rank = static_cast<Index>(rank);
  result.lower = lower_factor(a, result.rank, static_cast<Index>(d));
  // det L on the space of the rows of A is sqrt(det A A').
  std::vector<double> gram(rank * rank);
  for (std::size_t i = 0; i < rank * rank; ++i) {
    for (std::size_t j = 0; j < d; ++j) gram[i] += a[i / rank * d + j] * a[i % rank * d + j];
  }
  if (rank > 0 && cholesky(gram, result.rank)) result.log_scale = log_diagonal(gram, rank);
  return result;
}

}  // namespace

Whitening whiten(std::span<const double> covariance, Index columns, double tol) {
  const std::size_t d = usize(columns);
  std::vector<double> scale, correlation(covariance.begin(), covariance.end());
  for (std::size_t j = 0; j < d; ++j) {
    const double v = covariance[j * d + j];
    scale.push_back(v > 0 ? std::sqrt(v) : 1);
  }
  for (std::size_t i = 0; i < d * d; ++i)
    correlation[i] = correlation[i] / scale[i / d] / scale[i % d];
  const double rounding = static_cast<double>(d) * std::numeric_limits<double>::epsilon();
  const double least = std::max(tol * tol, rounding);
  // All eigenvalues are above the least exactly when this is positive definite.
  std::vector<double> lowered = correlation;
  for (std::size_t j = 0; j < d; ++j) lowered[j * d + j] -= least;
  if (!cholesky(lowered, columns)) return reduced(correlation, scale, least);
  Whitening result{.lower = std::move(correlation), .rank = columns};
  if (!cholesky(result.lower, columns)) return reduced(result.lower, scale, least);
  invert_lower(result.lower, columns);
  for (std::size_t i = 0; i < d * d; ++i) result.lower[i] /= scale[i % d];
  result.log_scale = log_diagonal(result.lower, d);
  return result;
}

}  // namespace craton
