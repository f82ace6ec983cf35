#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(x) = p (1 - p)^x: failures before the first success, x = 0, 1, ... The estimate is
// 1 / (1 + mean).
struct Geometric {
  double p;

  static constexpr double kLeast = 0.5 / kGreatestCount;
  static constexpr std::array kParameters{ParameterInfo{"p", "probability of success", kLeast, 1}};
  static constexpr FamilyInfo kInfo{"geometric", "failures before the first success",
                                    Support::kCounts, kParameters};
  using Sums = Moments;
  static Geometric estimate(const Moments& seen, const Estimation& how);

  double log_density(double x) const;
  double cdf(double x) const;
  double quantile(double probability) const;
  double mean() const { return (1 - p) / p; }
  double variance() const { return (1 - p) / p / p; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 1> standard_errors() const;

  // eta = log(1 - p), T = x, A = -log p.
  static constexpr std::array kTerms{0};
  std::array<double, 1> natural() const;
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const;
  static constexpr double kLogBase = 0;
  double log_base(double) const { return kLogBase; }
  Geometric from_natural(std::array<double, 1> eta) const;
};

}  // namespace craton
