#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = rate exp(-rate x), x >= 0. The estimate is 1 / mean; of zeros only, 1 / least deviation.
struct Exponential {
  double rate;

  static constexpr std::array kParameters{ParameterInfo{"rate", "1 / mean", kNearest, kFarthest}};
  static constexpr FamilyInfo kInfo{"exponential", "waiting times without memory",
                                    Support::kNonNegative, kParameters};
  using Sums = Moments;
  static Exponential estimate(const Moments& seen, const Estimation& how);

  struct Density {
    double constant, rate;
    double operator()(double x) const { return x < 0 ? -kInfinity : constant - rate * x; }
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return 1 / rate; }
  double variance() const { return 1 / rate / rate; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 1> standard_errors() const { return {rate}; }

  // eta = -rate, T = x, A = -log rate.
  static constexpr Moves kMoves = Moves::kScale;
  Exponential moved(const Coordinate& at) const { return {rate * at.unit}; }
  static constexpr std::array kTerms{0};
  std::array<double, 1> natural() const { return {-rate}; }
  std::array<double, 1> sufficient(double x) const { return {x}; }
  double log_partition() const;
  static constexpr double kLogBase = 0;
  double log_base(double) const { return kLogBase; }
  Exponential from_natural(std::array<double, 1> eta) const { return {-eta[0]}; }
};

}  // namespace craton
