#pragma once
#include <span>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/random.h"

namespace craton {

// Of a covariance matrix: any, a diagonal, or one number times the identity.
enum class CovarianceShape { kFull, kDiagonal, kSpherical };

// n = sum w, sum w (x - s) and sum w (x - s)(x - s)' (its diagonal only, unless the shape is full)
// about the first row s.
struct ScatterMatrix {
  CovarianceShape shape = CovarianceShape::kFull;
  double weight = 0;
  std::vector<double> shift = {}, sum = {}, square = {};

  void add(std::span<const double> x, double w = 1);
  void merge(const ScatterMatrix& next);
  void subtract(const ScatterMatrix& other);
  void write(Writer& writer) const;
  void read(Reader& reader);

 private:
  void add_moved(const ScatterMatrix& other, double sign);
};

// p(x) = (2 pi)^(-d/2) |S|^(-1/2) exp(-(x - m)' S^-1 (x - m) / 2).
class MultivariateGaussian {
 public:
  // InputError (kNoSpread) when the covariance, row-major d x d, is not positive definite.
  MultivariateGaussian(std::vector<double> mean, std::vector<double> covariance);
  // Divides by n. `least` is added to the diagonal where a variance is below it.
  static MultivariateGaussian estimate(const ScatterMatrix& seen, double least = 0);

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& covariance() const { return covariance_; }
  static Index free_parameters(Index d, CovarianceShape shape);

  double log_density(std::span<const double> x) const;
  double entropy() const;
  void sample(Random& random, std::span<double> x) const;
  // Of the mean, and of the covariance (row-major), of estimates from so many rows.
  std::vector<double> mean_errors(double weight) const;
  std::vector<double> covariance_errors(double weight) const;
  // eta = (S^-1 m, -S^-1 / 2), T = (x, x x'): d + d^2 numbers.
  std::vector<double> natural() const;
  double log_partition() const;  // A = m' S^-1 m / 2 + log|S| / 2; h = (2 pi)^(-d/2)

 private:
  std::vector<double> mean_, covariance_;
  std::vector<double> factor_, inverse_;  // L with S = L L', and its inverse
  double log_determinant_ = 0;
};

}  // namespace craton
