#include "craton/families/poisson.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/distributions.h"
#include "craton/families/counts.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {

Poisson Poisson::estimate(const Moments& seen, const Estimation&) {
  return {std::min(std::max(seen.total(), 0.0) / seen.weight, kGreatestCount)};
}

double Poisson::log_density(double x) const {
  if (!holds(Support::kCounts, x)) return -INFINITY;
  return log_mass(x);
}

double Poisson::log_mass(double x) const {
  if (x == 0) return -rate;
  return -deviance(x, rate) - 0.5 * std::log(2 * std::numbers::pi * x) - binet(x);
}

double Poisson::cdf(double x) const {
  if (x < 0) return 0;
  return rate == 0 || std::isinf(x) ? 1 : gamma_q(std::floor(x) + 1, rate);
}

double Poisson::quantile(double p) const {
  if (p == 1) return rate == 0 ? 0 : INFINITY;
  if (p == 0 || rate == 0) return 0;
  const double deviation = std::sqrt(rate), guess = rate + deviation * normal_quantile(p);
  return least_integer([&](double k) { return cdf(k) >= p; }, guess, deviation / 8, 0,
                       kGreatestCount);
}

double Poisson::entropy() const {
  constexpr double kMany = 1e4;
  // Evans, Boersma, Blachman and Jagers, "The entropy of a Poisson distribution", SIAM Review 30
  // (1988).
  if (rate > kMany) {
    const double y = 1 / rate;
    return 0.5 * (1 + std::log(2 * std::numbers::pi * rate)) -
           y * (1.0 / 12 + y * (1.0 / 24 + y * 19.0 / 360));
  }
  const double reach = 10 * std::sqrt(rate) + 40;
  return count_entropy([&](double k) { return log_mass(k); },
                       {std::max(0.0, std::floor(rate - reach)), std::ceil(rate + reach), reach});
}

double Poisson::sample(Random& random) const { return draw_poisson(random, rate); }

std::array<double, 1> Poisson::standard_errors() const { return {std::sqrt(rate)}; }

std::array<double, 1> Poisson::natural() const { return {std::log(rate)}; }
double Poisson::log_base(double x) const { return -log_gamma(x + 1); }
// The base of every row is asked for, and most counts are small.
void Poisson::add_log_base(std::span<const double> x, std::span<double> out) {
  constexpr std::size_t kSmall = 1024;
  static const std::array<double, kSmall> kLogFactorials = [] {
    std::array<double, kSmall> table{};
    for (std::size_t i = 0; i < kSmall; ++i) table[i] = log_gamma(static_cast<double>(i) + 1);
    return table;
  }();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool small = x[i] >= 0 && x[i] < static_cast<double>(kSmall);
    out[i] -= small ? kLogFactorials[static_cast<std::size_t>(x[i])] : log_gamma(x[i] + 1);
  }
}
Poisson Poisson::from_natural(std::array<double, 1> eta) const { return {std::exp(eta[0])}; }

}  // namespace craton
