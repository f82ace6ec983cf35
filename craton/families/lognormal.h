#pragma once
#include <array>

#include "craton/families/gaussian.h"

namespace craton {

// log x ~ N(mu, sigma2), x > 0. The estimates are the mean and the variance of the logarithms.
struct LogNormal {
  double mu, sigma2;

  static constexpr double kMostLog = 1000;  // all numbers have logarithms from -745 to 710
  static constexpr std::array kParameters{
      ParameterInfo{"log_mean", "mean of the logarithm", -kMostLog, kMostLog},
      ParameterInfo{"log_variance", "variance of the logarithm", kNearest / 1e5,
                    kMostLog* kMostLog}};
  static constexpr FamilyInfo kInfo{"lognormal", "positive numbers whose logarithm is normal",
                                    Support::kPositive, kParameters};
  using Sums = LogMoments;
  static LogNormal estimate(const LogMoments& seen, const Estimation& how);
  Gaussian log() const { return {mu, sigma2}; }

  struct Density {
    Gaussian::Density log_density;
    double operator()(double x) const;
  };
  Density prepared() const { return {log().prepared()}; }
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const;
  double variance() const;
  double entropy() const { return mu + log().entropy(); }
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const { return log().standard_errors(); }

  // As the Gaussian's, of log x, and h = 1 / (x sqrt(2 pi)).
  static constexpr Moves kMoves = Moves::kScale;
  LogNormal moved(const Coordinate& at) const;
  static constexpr std::array kTerms{1, 2};
  std::array<double, 2> natural() const { return log().natural(); }
  std::array<double, 2> sufficient(double x) const { return log().sufficient(std::log(x)); }
  double log_partition() const { return log().log_partition(); }
  double log_base(double x) const { return log().log_base(x) - std::log(x); }
  LogNormal from_natural(std::array<double, 2> eta) const;
};

}  // namespace craton
