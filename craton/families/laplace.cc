#include "craton/families/laplace.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"

namespace craton {

double weighted_median(const Values& seen) {
  double total = 0, sum = 0;
  for (const Values::Value& v : seen.values) total += v.weight;
  for (const Values::Value& v : seen.values) {
    if (sum += v.weight; sum >= total / 2) return v.x;
  }
  return seen.values.back().x;
}

Laplace Laplace::estimate(const Values& seen, const Estimation& how) {
  const double location = how.knows(0) ? how.known[0] : weighted_median(seen);
  if (how.knows(1)) return {location, how.known[1]};
  double distance = 0;
  for (const auto& [x, w] : seen.values) distance += w * std::abs(x - location);
  return {location, std::max(distance / seen.weight, least_deviation(location, how))};
}

Laplace::Density Laplace::prepared() const { return {-std::log(2 * scale), location, 1 / scale}; }

double Laplace::cdf(double x) const {
  const double z = (x - location) / scale;
  return z <= 0 ? 0.5 * std::exp(z) : 1 - 0.5 * std::exp(-z);
}

double Laplace::quantile(double p) const {
  return p <= 0.5 ? location + scale * std::log(2 * p) : location - scale * std::log(2 * (1 - p));
}

double Laplace::entropy() const { return 1 + std::log(2 * scale); }

double Laplace::sample(Random& random) const {
  const double distance = scale * draw_exponential(random);
  return random.uniform() < 0.5 ? location - distance : location + distance;
}

}  // namespace craton
