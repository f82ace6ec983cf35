#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// P(x) = Gamma(x + r) / (Gamma(r) x!) p^r (1 - p)^x with p = r / (r + mean): counts whose variance,
// mean + mean^2 / r, exceeds their mean. The estimate of the mean is the mean, that of the size r
// maximises the likelihood (Newton's method in log r), unless it is known. When the variance of
// the data does not exceed their mean, r is kMostSize (1 + mean): a Poisson distribution, nearly.
struct NegativeBinomial {
  double mu, size;

  static constexpr double kMostSize = 1e10, kLeastSize = 1e-12;
  static constexpr std::array kParameters{
      ParameterInfo{"mean", "mean count", 0, kGreatestCount},
      ParameterInfo{"size", "r: the larger, the less variance", kLeastSize, 1e30}};
  static constexpr FamilyInfo kInfo{"negative-binomial", "counts that vary more than Poisson's",
                                    Support::kCounts, kParameters};
  using Sums = Values;
  static NegativeBinomial estimate(const Values& seen, const Estimation& how);

  double log_density(double x) const;
  double log_mass(double x) const;  // the same between the counts
  double cdf(double x) const;
  double quantile(double probability) const;
  double mean() const { return mu; }
  double variance() const { return mu + mu * (mu / size); }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // For a known size: eta = log(1 - p), T = x, A = -r log p, h = Gamma(x + r) / (Gamma(r) x!).
  std::array<double, 1> natural() const;
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const;
  double log_base(double x) const;
  NegativeBinomial from_natural(std::array<double, 1> eta) const;
};

}  // namespace craton
