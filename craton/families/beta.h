#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = x^(a - 1) (1 - x)^(b - 1) / B(a, b), 0 < x < 1. The estimate solves
// digamma(a) - digamma(a + b) = mean log x and the same for b and 1 - x by damped Newton steps in
// (log a, log b). Of equal values the deviation is the least one.
struct Beta {
  double a, b;

  static constexpr std::array kParameters{ParameterInfo{"a", "shape at 0", 1e-6, kFarthest},
                                          ParameterInfo{"b", "shape at 1", 1e-6, kFarthest}};
  static constexpr FamilyInfo kInfo{"beta", "shares and probabilities", Support::kUnit,
                                    kParameters};
  using Sums = UnitMoments;
  static Beta estimate(const UnitMoments& seen, const Estimation& how);

  struct Density {
    double constant, a, b;
    double operator()(double x) const;
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return a / (a + b); }
  double variance() const;
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // eta = (a, b), T = (log x, log(1 - x)), A = log B(a, b), h = 1 / (x (1 - x)).
  static constexpr std::array kTerms{2, 3};
  std::array<double, 2> natural() const { return {a, b}; }
  std::array<double, 2> sufficient(double x) const { return {std::log(x), std::log1p(-x)}; }
  double log_partition() const;
  double log_base(double x) const { return -std::log(x) - std::log1p(-x); }
  Beta from_natural(std::array<double, 2> eta) const { return {eta[0], eta[1]}; }
};

}  // namespace craton
