#pragma once
#include <array>

#include "craton/families/family.h"

namespace craton {

// p(x) = rate^shape x^(shape - 1) exp(-rate x) / Gamma(shape), x > 0. The estimate solves
// log a - digamma(a) = log(mean) - mean(log) by Newton's method in log a; the shape may be known.
// Of equal values the shape is (mean / least deviation)^2.
struct Gamma {
  double shape, rate;

  static constexpr std::array kParameters{ParameterInfo{"shape", "shape", 1e-5, 1e32},
                                          ParameterInfo{"rate", "1 / scale", kNearest, kFarthest}};
  static constexpr FamilyInfo kInfo{"gamma", "waiting times and other positive, skewed numbers",
                                    Support::kPositive, kParameters};
  using Sums = LogMoments;
  static Gamma estimate(const LogMoments& seen, const Estimation& how);

  struct Density {
    double constant, shape, rate;
    double operator()(double x) const;
  };
  Density prepared() const;
  double log_density(double x) const { return prepared()(x); }
  double cdf(double x) const;
  double quantile(double p) const;
  double mean() const { return shape / rate; }
  double variance() const { return shape / rate / rate; }
  double entropy() const;
  double sample(Random& random) const;
  std::array<double, 2> standard_errors() const;

  // eta = (shape, -rate), T = (log x, x), A = log Gamma(shape) - shape log rate, h = 1 / x.
  static constexpr Moves kMoves = Moves::kScale;
  Gamma moved(const Coordinate& at) const { return {shape, rate * at.unit}; }
  static constexpr std::array kTerms{1, 0};
  std::array<double, 2> natural() const { return {shape, -rate}; }
  std::array<double, 2> sufficient(double x) const { return {std::log(x), x}; }
  double log_partition() const;
  double log_base(double x) const { return -std::log(x); }
  Gamma from_natural(std::array<double, 2> eta) const { return {eta[0], -eta[1]}; }
};

}  // namespace craton
