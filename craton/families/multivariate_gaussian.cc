#include "craton/families/multivariate_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Calls f(place in `square`, i, j) for what the shape keeps: the lower half, or the diagonal.
template <class F>
void for_products(CovarianceShape shape, std::size_t d, const F& f) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = shape == CovarianceShape::kFull ? 0 : i; j <= i; ++j) f(at++, i, j);
  }
}

}  // namespace

void ScatterMatrix::add(std::span<const double> x, double w) {
  const std::size_t d = x.size();
  if (shift.empty()) {
    shift.assign(x.begin(), x.end());
    sum.resize(d);
    square.resize(shape == CovarianceShape::kFull ? d * (d + 1) / 2 : d);
  }
  CRATON_ASSERT(d == shift.size());
  weight += w;
  for (std::size_t i = 0; i < d; ++i) sum[i] += w * (x[i] - shift[i]);
  for_products(shape, d, [&](std::size_t at, std::size_t i, std::size_t j) {
    square[at] += w * (x[i] - shift[i]) * (x[j] - shift[j]);
  });
}

void ScatterMatrix::add_moved(const ScatterMatrix& other, double sign) {
  const std::size_t d = shift.size();
  CRATON_ASSERT(other.shape == shape && other.shift.size() == d);
  const auto away = [&](std::size_t i) { return other.shift[i] - shift[i]; };
  weight += sign * other.weight;
  for_products(shape, d, [&](std::size_t at, std::size_t i, std::size_t j) {
    square[at] += sign * (other.square[at] + away(i) * other.sum[j] + other.sum[i] * away(j) +
                          other.weight * away(i) * away(j));
  });
  for (std::size_t i = 0; i < d; ++i) sum[i] += sign * (other.sum[i] + other.weight * away(i));
}

void ScatterMatrix::merge(const ScatterMatrix& next) {
  if (next.shift.empty()) return;
  if (shift.empty()) {
    *this = next;
  } else {
    add_moved(next, 1);
  }
}

void ScatterMatrix::subtract(const ScatterMatrix& other) {
  if (!other.shift.empty()) add_moved(other, -1);
}

void ScatterMatrix::write(Writer& writer) const {
  writer.put(shape);
  writer.put(weight);
  for (const auto* values : {&shift, &sum, &square}) writer.put(*values);
}

void ScatterMatrix::read(Reader& reader) {
  reader.get(shape);
  reader.get(weight);
  for (auto* values : {&shift, &sum, &square}) reader.get(*values);
}

MultivariateGaussian::MultivariateGaussian(std::vector<double> mean, std::vector<double> covariance)
    : mean_(std::move(mean)), covariance_(std::move(covariance)), factor_(covariance_) {
  const Index d = std::ssize(mean_);
  CRATON_ASSERT(d > 0 && std::ssize(covariance_) == d * d);
  if (!cholesky(factor_, d)) {
    throw InputError(Code::kNoSpread, {}, "the covariance matrix is not positive definite",
                     "A column is constant, or a sum of others: leave it out.");
  }
  inverse_ = factor_;
  invert_lower(inverse_, d);
  for (Index i = 0; i < d; ++i) log_determinant_ += 2 * std::log(factor_[usize(i * d + i)]);
}

MultivariateGaussian MultivariateGaussian::estimate(const ScatterMatrix& seen, double least) {
  CRATON_ASSERT(seen.weight > 0);
  const std::size_t d = seen.shift.size();
  std::vector<double> mean(d), covariance(d * d);
  for (std::size_t i = 0; i < d; ++i) mean[i] = seen.shift[i] + seen.sum[i] / seen.weight;
  for_products(seen.shape, d, [&](std::size_t at, std::size_t i, std::size_t j) {
    const double away = seen.sum[i] / seen.weight * seen.sum[j];
    covariance[i * d + j] = covariance[j * d + i] = (seen.square[at] - away) / seen.weight;
  });
  if (seen.shape == CovarianceShape::kSpherical) {
    double trace = 0;
    for (std::size_t i = 0; i < d; ++i) trace += covariance[i * d + i];
    for (std::size_t i = 0; i < d; ++i) covariance[i * d + i] = trace / static_cast<double>(d);
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (covariance[i * d + i] < least) covariance[i * d + i] += least;
  }
  return MultivariateGaussian(std::move(mean), std::move(covariance));
}

Index MultivariateGaussian::free_parameters(Index d, CovarianceShape shape) {
  if (shape == CovarianceShape::kFull) return d + d * (d + 1) / 2;
  return shape == CovarianceShape::kDiagonal ? 2 * d : d + 1;
}

double MultivariateGaussian::log_density(std::span<const double> x) const {
  const std::size_t d = mean_.size();
  CRATON_ASSERT(x.size() == d);
  double square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    double z = 0;
    for (std::size_t j = 0; j <= i; ++j) z += inverse_[i * d + j] * (x[j] - mean_[j]);
    square += z * z;
  }
  return -0.5 * (square + log_determinant_) - static_cast<double>(d) * kHalfLogTwoPi;
}

double MultivariateGaussian::entropy() const {
  return 0.5 * log_determinant_ + static_cast<double>(mean_.size()) * (0.5 + kHalfLogTwoPi);
}

void MultivariateGaussian::sample(Random& random, std::span<double> x) const {
  const std::size_t d = mean_.size();
  CRATON_ASSERT(x.size() == d);
  std::vector<double> z(d);
  for (double& v : z) v = random.normal();
  for (std::size_t i = 0; i < d; ++i) {
    x[i] = mean_[i];
    for (std::size_t j = 0; j <= i; ++j) x[i] += factor_[i * d + j] * z[j];
  }
}

std::vector<double> MultivariateGaussian::mean_errors(double weight) const {
  const std::size_t d = mean_.size();
  std::vector<double> errors(d);
  for (std::size_t i = 0; i < d; ++i) errors[i] = std::sqrt(covariance_[i * d + i] / weight);
  return errors;
}

std::vector<double> MultivariateGaussian::covariance_errors(double weight) const {
  const std::size_t d = mean_.size();
  std::vector<double> errors(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double both = covariance_[i * d + j];
      const double each = covariance_[i * d + i] * covariance_[j * d + j];
      errors[i * d + j] = std::sqrt((both * both + each) / weight);
    }
  }
  return errors;
}

std::vector<double> MultivariateGaussian::natural() const {
  const std::size_t d = mean_.size();
  std::vector<double> result(d + d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      double precision = 0;  // S^-1 = L'^-1 L^-1
      for (std::size_t k = std::max(i, j); k < d; ++k) {
        precision += inverse_[k * d + i] * inverse_[k * d + j];
      }
      result[i] += precision * mean_[j];
      result[d + i * d + j] = -0.5 * precision;
    }
  }
  return result;
}

double MultivariateGaussian::log_partition() const {
  const std::vector<double> eta = natural();
  return 0.5 *
         (std::inner_product(mean_.begin(), mean_.end(), eta.begin(), 0.0) + log_determinant_);
}

}  // namespace craton
