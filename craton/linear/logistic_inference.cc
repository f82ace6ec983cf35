#include "craton/linear/logistic_inference.h"

#include <cmath>

#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

struct Scaled {
  std::vector<double> lower, scale;
};

// L with A = S^-1 L L' S^-1, S = diag(scale).
std::optional<Scaled> scaled_factor(std::span<const double> a, Index size) {
  constexpr double kLeastPivot = 1e-14;
  const std::size_t d = usize(size);
  Scaled result{{a.begin(), a.end()}, std::vector<double>(d)};
  for (std::size_t i = 0; i < d; ++i) {
    if (!(a[i * d + i] > 0)) return std::nullopt;
    result.scale[i] = 1 / std::sqrt(a[i * d + i]);
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j)
      result.lower[i * d + j] *= result.scale[i] * result.scale[j];
  }
  if (!cholesky(result.lower, size)) return std::nullopt;
  for (std::size_t i = 0; i < d; ++i) {
    if (!(std::pow(result.lower[i * d + i], 2) > kLeastPivot)) return std::nullopt;
  }
  return result;
}

}  // namespace

std::vector<double> part_of(std::span<const double> matrix, std::size_t size,
                            std::span<const std::size_t> places) {
  std::vector<double> part;
  for (const std::size_t i : places) {
    for (const std::size_t j : places) part.push_back(matrix[i * size + j]);
  }
  return part;
}

std::optional<std::vector<double>> inverse_of_symmetric(std::span<const double> a, Index size) {
  std::optional<Scaled> factor = scaled_factor(a, size);
  if (!factor) return std::nullopt;
  const std::size_t d = usize(size);
  invert_lower(factor->lower, size);
  std::vector<double> result(d * d);
  add_gram(factor->lower.data(), size, size, size, nullptr, result.data(), size);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      result[i * d + j] *= factor->scale[i] * factor->scale[j];
      result[j * d + i] = result[i * d + j];
    }
  }
  return result;
}

std::optional<double> quadratic_form(std::span<const double> a, std::span<const double> g) {
  const std::size_t d = g.size();
  const std::optional<Scaled> factor = scaled_factor(a, std::ssize(g));
  if (!factor) return std::nullopt;
  std::vector<double> v(d);
  double square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    double sum = g[i] * factor->scale[i];
    for (std::size_t j = 0; j < i; ++j) sum -= factor->lower[i * d + j] * v[j];
    v[i] = sum / factor->lower[i * d + i];
    square += v[i] * v[i];
  }
  return square;
}

std::vector<double> sandwich(std::span<const double> inverse, std::span<const double> meat,
                             Index d) {
  std::vector<double> half(usize(d * d)), result(usize(d * d));
  row_products(inverse.data(), d, d, meat.data(), d, d, d, half.data(), d);
  row_products(half.data(), d, d, inverse.data(), d, d, d, result.data(), d);
  for (std::size_t i = 0; i < usize(d); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double mean = (result[i * usize(d) + j] + result[j * usize(d) + i]) / 2;
      result[i * usize(d) + j] = result[j * usize(d) + i] = mean;
    }
  }
  return result;
}

double normal_tails(double z) { return gamma_q(0.5, z * z / 2); }

double normal_quantile_of_tails(double tails) { return std::sqrt(2 * gamma_q_inverse(0.5, tails)); }

double chi_square_tail(double value, double df) {
  return gamma_q(df / 2, std::max(value, 0.0) / 2);
}

}  // namespace craton
