#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(x) = C(trials, x) p^x (1 - p)^(trials - x), x = 0, ..., trials. The number of trials is told
// (Estimation::known); p is then the share of successes, exactly.
struct Binomial {
  double trials, p;

  static constexpr std::array kParameters{
      ParameterInfo{"trials", "number of trials", 1, kGreatestCount},
      ParameterInfo{"p", "probability of success", 0, 1}};
  static constexpr FamilyInfo kInfo{"binomial", "successes in a known number of trials",
                                    Support::kCounts, kParameters, 1};
  using Sums = Moments;
  static Binomial estimate(const Moments& seen, const Estimation& how);
  bool valid() const;

  double log_density(double x) const;
  double log_mass(double x) const;  // the same between the counts
  double cdf(double x) const;
  double quantile(double probability) const;
  double mean() const { return trials * p; }
  double variance() const { return trials * p * (1 - p); }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // eta = log(p / (1 - p)), T = x, A = -trials log(1 - p), h = C(trials, x).
  std::array<double, 1> natural() const;
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const;
  double log_base(double x) const;
  Binomial from_natural(std::array<double, 1> eta) const;
};

}  // namespace craton
