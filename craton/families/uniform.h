#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = 1 / (high - low), low <= x <= high. The estimates are the least and the greatest value;
// equal ones are moved apart to have the least deviation.
struct Uniform {
  double low, high;

  static constexpr std::array kParameters{
      ParameterInfo{"low", "least value", -kFarthest, kFarthest},
      ParameterInfo{"high", "greatest value", -kFarthest, kFarthest}};
  static constexpr FamilyInfo kInfo{"uniform", "every value of an interval alike", Support::kReal,
                                    kParameters};
  using Sums = Range;
  static Uniform estimate(const Range& seen, const Estimation& how);
  bool valid() const { return low < high; }

  struct Density {
    double constant, low, high;
    double operator()(double x) const { return x >= low && x <= high ? constant : -kInfinity; }
  };
  Density prepared() const { return {-std::log(high - low), low, high}; }
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const { return low + p * (high - low); }
  double mean() const { return low + (high - low) / 2; }
  double variance() const { return (high - low) * (high - low) / 12; }
  double entropy() const { return std::log(high - low); }
  double sample(Random& random) const { return quantile(random.uniform()); }
  std::array<double, 2> standard_errors() const { return {NAN, NAN}; }
};

}  // namespace craton
