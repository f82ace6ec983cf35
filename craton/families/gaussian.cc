#include "craton/families/gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace craton {

namespace {
constexpr double kLastPlaces = 4 * std::numeric_limits<double>::epsilon();
}

double least_deviation(double mean, const Estimation& how) {
  constexpr double kLeast = 1e-150;  // its square is a normal number
  if (how.least_spread > 0) return std::max(how.least_spread, kLeast);
  return std::max(kLastPlaces * (mean == 0 ? 1 : std::abs(mean)), kLeast);
}

double least_share(double mean, const Estimation& how) {
  return how.least_spread > 0 ? how.least_spread / mean : kLastPlaces;
}

Gaussian Gaussian::estimate(const Moments& seen, const Estimation& how) {
  const double mean = how.knows(0) ? how.known[0] : seen.mean();
  if (how.knows(1)) return {mean, how.known[1]};
  double variance = seen.variance();
  if (how.knows(0)) {
    const double away = seen.mean() - mean;
    variance += away * away;
  }
  variance *= seen.weight / (seen.weight + how.prior.spread_rows);
  const double least = least_deviation(mean, how);
  return {mean, std::max(variance, least * least)};
}

Gaussian::Density Gaussian::prepared() const {
  return {-kHalfLogTwoPi - 0.5 * std::log(sigma2), mu, std::sqrt(0.5 / sigma2)};
}

double Gaussian::cdf(double x) const { return normal_cdf((x - mu) / std::sqrt(sigma2)); }

double Gaussian::quantile(double p) const {
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  return mu + std::sqrt(sigma2) * normal_quantile(p);
}

double Gaussian::entropy() const { return 0.5 + kHalfLogTwoPi + 0.5 * std::log(sigma2); }

double Gaussian::sample(Random& random) const { return mu + std::sqrt(sigma2) * random.normal(); }

std::array<double, 2> Gaussian::standard_errors() const {
  return {std::sqrt(sigma2), std::numbers::sqrt2 * sigma2};
}

Gaussian Gaussian::moved(const Coordinate& at) const {
  return {(mu - at.origin) / at.unit, sigma2 / at.unit / at.unit};
}
std::array<double, 2> Gaussian::natural() const { return {mu / sigma2, -0.5 / sigma2}; }
double Gaussian::log_partition() const { return 0.5 * (mu * mu / sigma2 + std::log(sigma2)); }
Gaussian Gaussian::from_natural(std::array<double, 2> eta) const {
  return {-0.5 * eta[0] / eta[1], -0.5 / eta[1]};
}

}  // namespace craton
