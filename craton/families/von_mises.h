#pragma once
#include <array>

#include "craton/families/family.h"
#include "craton/kernels/special.h"

namespace craton {

// p(x) = exp(k cos(x - mean)) / (2 pi I_0(k)): angles in radians, about a mean direction. The
// estimate solves I_1(k) / I_0(k) = length of the mean direction, by Newton's method; k is at most
// kMost, as for equal angles. Angles may be any numbers; those drawn, and quantiles, lie within
// half a turn of the mean, and the cdf counts from there.
struct VonMises {
  double mu, kappa;

  static constexpr double kMost = 1e15;
  static constexpr std::array kParameters{
      ParameterInfo{"mean", "mean direction", -1e9, 1e9},
      ParameterInfo{"concentration", "0: every direction alike", 0, kMost}};
  static constexpr FamilyInfo kInfo{"von-mises", "angles about a mean direction", Support::kAngle,
                                    kParameters};
  using Sums = Directions;
  static VonMises estimate(const Directions& seen, const Estimation& how);

  struct Density {
    double constant, mu, kappa;
    double operator()(double x) const;
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return mu; }
  double variance() const;  // circular: 1 - E cos(x - mean)
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // eta = k (cos mean, sin mean), T = (cos x, sin x), A = log I_0(k), h = 1 / (2 pi).
  static constexpr std::array kTerms{0, 1};
  std::array<double, 2> natural() const;
  std::array<double, 2> sufficient(double x) const { return {std::cos(x), std::sin(x)}; }
  double log_partition() const;
  static constexpr double kLogBase = -2 * kHalfLogTwoPi;
  double log_base(double) const { return kLogBase; }
  VonMises from_natural(std::array<double, 2> eta) const;
};

}  // namespace craton
