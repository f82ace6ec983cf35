#include "craton/families/von_mises.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/distributions.h"
#include "craton/families/counts.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

constexpr double kPi = std::numbers::pi;

// The derivative of A = I_1 / I_0: 1 - A / k - A^2, which is (1 - A)(1 + A) - A / k.
double ratio_slope(double k) {
  if (k < 1e-4) return 0.5 - 3 * k * k / 16;
  if (k > 1e4) return (1 + 1 / k) / (2 * k * k);  // the series in 1 / k
  const double gap = one_minus_bessel_ratio(k);
  return gap * (2 - gap) - (1 - gap) / k;
}

// The integral of the density from half a turn below the mean to `angle` <= 0, relative to the
// mean: on pieces over which it falls by exp(-4) at most.
double lower_tail(const VonMises& f, double angle) {
  constexpr double kFall = 4;
  constexpr int kPieces = 11;
  const VonMises::Density log_density = VonMises{0, f.kappa}.prepared();
  const auto density = [&](double x) { return std::exp(log_density(x)); };
  double sum = 0, upper = angle;
  for (int i = 0; i < kPieces && upper > -kPi; ++i) {
    // k (cos a - cos b) = 2 k (sin^2 b/2 - sin^2 a/2)
    const double half = std::sin(upper / 2);
    const double square = half * half + kFall / (2 * f.kappa);
    double lower = square < 1 ? -2 * std::asin(std::sqrt(square)) : -kPi;
    lower = std::max({lower, -kPi, upper - kPi / 4});
    sum += integrate(density, lower, upper);
    upper = lower;
  }
  return sum;
}

}  // namespace

VonMises VonMises::estimate(const Directions& seen, const Estimation& how) {
  const double mu = how.knows(0) ? how.known[0] : std::atan2(seen.sine, seen.cosine);
  if (how.knows(1)) return {mu, how.known[1]};
  const double along = how.knows(0) ? seen.cosine * std::cos(mu) + seen.sine * std::sin(mu)
                                    : std::hypot(seen.cosine, seen.sine);
  const double length = std::clamp(along / seen.weight, 0.0, 1.0), gap = 1 - length;
  if (length == 0) return {mu, 0};
  if (gap <= 0.5 / kMost) return {mu, kMost};
  const auto f = [&](double u) -> Slope {
    const double k = std::exp(u);
    return {one_minus_bessel_ratio(k) - gap, -k * ratio_slope(k)};
  };
  // Banerjee, Dhillon, Ghosh and Sra, "Clustering on the unit hypersphere" (2005): within 10 per
  // cent.
  const double start = std::log(length * (2 - length * length) / (gap * (1 + length)));
  return {mu, std::min(std::exp(find_root(f, start - 1, start + 1, start)), kMost)};
}

double VonMises::Density::operator()(double x) const {
  if (!std::isfinite(x)) return -INFINITY;
  const double half = std::sin((x - mu) / 2);  // k (cos d - 1) = -2 k sin^2(d / 2)
  return constant - 2 * kappa * half * half;
}

VonMises::Density VonMises::prepared() const {
  return {-kLogTwoPi - log_bessel_i0_scaled(kappa), mu, kappa};
}

double VonMises::cdf(double x) const {
  const double angle = x - mu;
  if (angle <= -kPi) return 0;
  if (angle >= kPi) return 1;
  if (kappa == 0) return 0.5 + angle / (2 * kPi);
  return angle <= 0 ? lower_tail(*this, angle) : 1 - lower_tail(*this, -angle);
}

double VonMises::quantile(double p) const {
  if (p > 0.5) return 2 * mu - quantile(1 - p);
  if (p == 0.5) return mu;
  const VonMises centred{0, kappa};
  const auto f = [&](double x) -> Slope {
    return {centred.cdf(x) - p, std::exp(centred.log_density(x))};
  };
  const double guess = kappa > 1 && p > 0 ? normal_quantile(p) / std::sqrt(kappa) : -kPi / 2;
  return mu + find_root(f, -kPi, 0, guess);
}

double VonMises::variance() const { return one_minus_bessel_ratio(kappa); }

double VonMises::entropy() const {
  return kLogTwoPi + log_bessel_i0_scaled(kappa) + kappa * one_minus_bessel_ratio(kappa);
}

double VonMises::sample(Random& random) const { return mu + draw_von_mises(random, kappa); }

std::array<double, 2> VonMises::standard_errors() const {
  return {1 / std::sqrt(kappa * bessel_ratio(kappa)), 1 / std::sqrt(ratio_slope(kappa))};
}

std::array<double, 2> VonMises::natural() const {
  return {kappa * std::cos(mu), kappa * std::sin(mu)};
}
double VonMises::log_partition() const { return log_bessel_i0_scaled(kappa) + kappa; }
VonMises VonMises::from_natural(std::array<double, 2> eta) const {
  return {std::atan2(eta[1], eta[0]), std::hypot(eta[0], eta[1])};
}

}  // namespace craton
