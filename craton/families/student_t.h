#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = Gamma((n + 1) / 2) / (Gamma(n / 2) sqrt(n pi) s) (1 + z^2 / n)^(-(n + 1) / 2) with
// z = (x - location) / s and n degrees of freedom. The estimate climbs the likelihood by EM, then
// by damped Newton steps in (location, log s, log n); the degrees may be known, and are else kept
// in [kFewest, kMost]. Where many values are equal the likelihood has a spike of any height over
// them: what is found is the maximum near the start, and when that is the spike, a scale of
// kLeastScale times the mean distance from the median, about the median.
struct StudentT {
  double location, scale, degrees;

  static constexpr double kFewest = 0.1, kMost = 1e6, kLeastScale = 1e-4;
  static constexpr std::array kParameters{
      ParameterInfo{"location", "centre", -kFarthest, kFarthest},
      ParameterInfo{"scale", "scale", 1e-155, 1e150},
      ParameterInfo{"degrees", "degrees of freedom: the fewer, the longer the tails", 1e-2, 1e12}};
  static constexpr FamilyInfo kInfo{"student-t", "normal but for its long tails", Support::kReal,
                                    kParameters};
  using Sums = Values;
  static StudentT estimate(const Values& seen, const Estimation& how);

  struct Density {
    double constant, location, rate, degrees;
    double operator()(double x) const;
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const;      // NaN for degrees <= 1
  double variance() const;  // infinite for degrees <= 2, NaN for degrees <= 1
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 3> standard_errors() const;
};

}  // namespace craton
