#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = exp(-|x - location| / scale) / (2 scale). The estimate of the location is the median, the
// lower one of two; that of the scale the mean distance from it.
struct Laplace {
  double location, scale;

  static constexpr std::array kParameters{
      ParameterInfo{"location", "median", -kFarthest, kFarthest},
      ParameterInfo{"scale", "mean distance from the median", kNearest, kFarthest}};
  static constexpr FamilyInfo kInfo{"laplace", "a sharp peak and long tails", Support::kReal,
                                    kParameters};
  using Sums = Values;
  static Laplace estimate(const Values& seen, const Estimation& how);

  struct Density {
    double constant, location, rate;
    double operator()(double x) const { return constant - std::abs(x - location) * rate; }
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return location; }
  double variance() const { return 2 * scale * scale; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const { return {scale, scale}; }
};

// The least value with at least half of the weight up to it; requires weight > 0.
double weighted_median(const Values& seen);

}  // namespace craton
