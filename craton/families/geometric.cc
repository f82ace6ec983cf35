#include "craton/families/geometric.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/solve.h"

namespace craton {

Geometric Geometric::estimate(const Moments& seen, const Estimation&) {
  const double failures = std::max(seen.total(), 0.0);
  return {std::clamp(seen.weight / (seen.weight + failures), kLeast, 1.0)};
}

double Geometric::log_density(double x) const {
  if (!holds(Support::kCounts, x)) return -INFINITY;
  return x == 0 ? std::log(p) : std::log(p) + x * std::log1p(-p);
}

double Geometric::cdf(double x) const {
  if (x < 0) return 0;
  return p == 1 ? 1 : -std::expm1((std::floor(x) + 1) * std::log1p(-p));
}

double Geometric::quantile(double probability) const {
  if (probability == 1) return p == 1 ? 0 : INFINITY;
  if (probability == 0 || p == 1) return 0;
  const double guess = std::log1p(-probability) / std::log1p(-p) - 1;
  return least_integer([&](double k) { return cdf(k) >= probability; }, guess, 1, 0,
                       kGreatestCount);
}

double Geometric::entropy() const {
  return p == 1 ? 0 : -std::log(p) - (1 - p) / p * std::log1p(-p);
}

double Geometric::sample(Random& random) const { return draw_geometric(random, p); }

std::array<double, 1> Geometric::standard_errors() const { return {p * std::sqrt(1 - p)}; }

std::array<double, 1> Geometric::natural() const { return {std::log1p(-p)}; }
double Geometric::log_partition() const { return -std::log(p); }
Geometric Geometric::from_natural(std::array<double, 1> eta) const { return {-std::expm1(eta[0])}; }

}  // namespace craton
