#pragma once
#include <array>

#include "craton/families/family.h"
#include "craton/kernels/special.h"

namespace craton {

// p(x) = exp(-(x - mean)^2 / (2 variance)) / sqrt(2 pi variance). The estimate divides by n; either
// parameter may be known. Of equal values the standard deviation is Estimation::least_spread.
struct Gaussian {
  double mu, sigma2;

  static constexpr std::array kParameters{
      ParameterInfo{"mean", "mean", -kFarthest, kFarthest},
      ParameterInfo{"variance", "variance", kNearest / 1e5, kFarthest}};
  static constexpr FamilyInfo kInfo{"gaussian", "the normal distribution", Support::kReal,
                                    kParameters};
  using Sums = Moments;
  static Gaussian estimate(const Moments& seen, const Estimation& how);

  struct Density {
    double constant, mu, scale;
    double operator()(double x) const {
      const double z = (x - mu) * scale;
      return constant - z * z;
    }
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return mu; }
  double variance() const { return sigma2; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // eta = (mean, -1/2) / variance, T = (x, x^2), A = mean^2 / (2 variance) + log(variance) / 2.
  static constexpr Moves kMoves = Moves::kShiftAndScale;
  Gaussian moved(const Coordinate& at) const;
  static constexpr std::array kTerms{0, 1};
  std::array<double, 2> natural() const;
  std::array<double, 2> sufficient(double x) const { return {x, x * x}; }
  double log_partition() const;
  static constexpr double kLogBase = -kHalfLogTwoPi;
  double log_base(double) const { return kLogBase; }
  Gaussian from_natural(std::array<double, 2> eta) const;
};

// The least standard deviation that an estimate may have about this mean: see Estimation. And the
// same as a share of the mean, for families of positive numbers.
double least_deviation(double mean, const Estimation& how);
double least_share(double mean, const Estimation& how);

}  // namespace craton
