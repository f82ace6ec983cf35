#include "craton/families/lognormal.h"

#include <algorithm>
#include <cmath>

namespace craton {

LogNormal LogNormal::estimate(const LogMoments& seen, const Estimation& how) {
  const double least = least_share(seen.mean(), how);
  const double mu = how.knows(0) ? how.known[0] : seen.mean_log();
  if (how.knows(1)) return {mu, how.known[1]};
  const double away = how.knows(0) ? seen.mean_log() - mu : 0;
  return {mu, std::max(seen.log_variance() + away * away, least * least)};
}

double LogNormal::Density::operator()(double x) const {
  if (!(x > 0) || std::isinf(x)) return -INFINITY;
  const double log = std::log(x);
  return log_density(log) - log;
}

double LogNormal::cdf(double x) const { return x <= 0 ? 0 : log().cdf(std::log(x)); }

double LogNormal::quantile(double p) const { return std::exp(log().quantile(p)); }

double LogNormal::mean() const { return std::exp(mu + sigma2 / 2); }

double LogNormal::variance() const { return std::expm1(sigma2) * std::exp(2 * mu + sigma2); }

double LogNormal::sample(Random& random) const {
  return std::max(std::exp(log().sample(random)), std::numeric_limits<double>::denorm_min());
}

LogNormal LogNormal::moved(const Coordinate& at) const { return {mu - std::log(at.unit), sigma2}; }

LogNormal LogNormal::from_natural(std::array<double, 2> eta) const {
  const Gaussian gaussian = log().from_natural(eta);
  return {gaussian.mu, gaussian.sigma2};
}

}  // namespace craton
