#include "craton/families/exponential.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"

namespace craton {

Exponential Exponential::estimate(const Moments& seen, const Estimation& how) {
  const double least = how.least_spread > 0 ? how.least_spread : least_deviation(0, how);
  return {1 / std::max(seen.total() / seen.weight, least)};
}

Exponential::Density Exponential::prepared() const { return {std::log(rate), rate}; }

double Exponential::cdf(double x) const { return x <= 0 ? 0 : -std::expm1(-rate * x); }

double Exponential::quantile(double p) const { return -std::log1p(-p) / rate; }

double Exponential::entropy() const { return 1 - std::log(rate); }

double Exponential::sample(Random& random) const { return draw_exponential(random) / rate; }

double Exponential::log_partition() const { return -std::log(rate); }

}  // namespace craton
