#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = (k / s) (x / s)^(k - 1) exp(-(x / s)^k), x > 0, with shape k and scale s. The estimate
// solves sum w x^k log x / sum w x^k - 1 / k = mean log x by Newton's method in log k; the shape
// may be known. Of equal values it is mean / least deviation.
struct Weibull {
  double shape, scale;

  static constexpr std::array kParameters{ParameterInfo{"shape", "shape", 1e-3, 1e17},
                                          ParameterInfo{"scale", "scale", kNearest, kFarthest}};
  static constexpr FamilyInfo kInfo{"weibull", "life times whose hazard rises or falls",
                                    Support::kPositive, kParameters};
  using Sums = Values;
  static Weibull estimate(const Values& seen, const Estimation& how);

  struct Density {
    double constant, shape, scale;
    double operator()(double x) const;
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const;
  double variance() const;
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;
};

}  // namespace craton
