#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(1) = p, P(0) = 1 - p. The estimate is the share of ones, exactly: 0 or 1 when all are alike.
struct Bernoulli {
  double p;

  static constexpr std::array kParameters{ParameterInfo{"p", "probability of 1", 0, 1}};
  static constexpr FamilyInfo kInfo{"bernoulli", "one of two outcomes, 0 or 1", Support::kBinary,
                                    kParameters};
  using Sums = Moments;
  static Bernoulli estimate(const Moments& seen, const Estimation& how);

  double log_density(double x) const;
  double cdf(double x) const;
  double quantile(double probability) const;
  double mean() const { return p; }
  double variance() const { return p * (1 - p); }
  double entropy() const;
  double sample(Random& random) const { return random.uniform() < p ? 1 : 0; }
  std::array<double, 1> standard_errors() const;

  // eta = log(p / (1 - p)), T = x, A = -log(1 - p).
  static constexpr std::array kTerms{0};
  std::array<double, 1> natural() const;
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const;
  static constexpr double kLogBase = 0;
  double log_base(double) const { return kLogBase; }
  Bernoulli from_natural(std::array<double, 1> eta) const;
};

}  // namespace craton
