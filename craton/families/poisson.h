#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(x) = rate^x exp(-rate) / x!. The estimate is the mean; it may be 0.
struct Poisson {
  double rate;

  static constexpr std::array kParameters{ParameterInfo{"rate", "mean count", 0, kGreatestCount}};
  static constexpr FamilyInfo kInfo{"poisson", "counts of independent events", Support::kCounts,
                                    kParameters};
  using Sums = Moments;
  static Poisson estimate(const Moments& seen, const Estimation& how);

  double log_density(double x) const;
  double log_mass(double x) const;  // the same between the counts
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return rate; }
  double variance() const { return rate; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 1> standard_errors() const;

  // eta = log rate, T = x, A = rate, h = 1 / x!.
  static constexpr std::array kTerms{0};
  std::array<double, 1> natural() const;
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const { return rate; }
  double log_base(double x) const;
  static void add_log_base(std::span<const double> x, std::span<double> out);
  Poisson from_natural(std::array<double, 1> eta) const;
};

}  // namespace craton
