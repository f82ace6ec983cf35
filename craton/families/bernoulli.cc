#include "craton/families/bernoulli.h"

#include <algorithm>
#include <cmath>

namespace craton {

Bernoulli Bernoulli::estimate(const Moments& seen, const Estimation&) {
  return {std::clamp(seen.total() / seen.weight, 0.0, 1.0)};
}

double Bernoulli::log_density(double x) const {
  if (x == 1) return std::log(p);
  return x == 0 ? std::log1p(-p) : -INFINITY;
}

double Bernoulli::cdf(double x) const {
  if (x < 0) return 0;
  return x < 1 ? 1 - p : 1;
}

double Bernoulli::quantile(double probability) const { return probability <= 1 - p ? 0 : 1; }

double Bernoulli::entropy() const {
  const auto term = [](double share, double log) { return share == 0 ? 0 : -share * log; };
  return term(p, std::log(p)) + term(1 - p, std::log1p(-p));
}

std::array<double, 1> Bernoulli::standard_errors() const { return {std::sqrt(variance())}; }

std::array<double, 1> Bernoulli::natural() const { return {std::log(p) - std::log1p(-p)}; }
double Bernoulli::log_partition() const { return -std::log1p(-p); }
Bernoulli Bernoulli::from_natural(std::array<double, 1> eta) const {
  return {1 / (1 + std::exp(-eta[0]))};
}

}  // namespace craton
