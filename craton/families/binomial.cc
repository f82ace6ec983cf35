#include "craton/families/binomial.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/counts.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {

Binomial Binomial::estimate(const Moments& seen, const Estimation& how) {
  if (!how.knows(0)) {
    throw InputError(Code::kBadOption, {}, "the binomial family needs its number of trials",
                     "Tell it: the data do not have it.");
  }
  const double trials = how.known[0];
  return {trials, std::clamp(seen.total() / (seen.weight * trials), 0.0, 1.0)};
}

bool Binomial::valid() const { return holds(Support::kCounts, trials); }

double Binomial::log_density(double x) const {
  if (!holds(Support::kCounts, x) || x > trials) return -INFINITY;
  return log_mass(x);
}

double Binomial::log_mass(double x) const {
  const double n = trials, y = n - x;
  if (x == 0) return n * std::log1p(-p);
  if (y == 0) return n * std::log(p);
  // Loader's form: what Stirling's formula leaves, and two deviances.
  return binet(n) - binet(x) - binet(y) - deviance(x, n * p) - deviance(y, n * (1 - p)) +
         0.5 * std::log(n / x / y) - kHalfLogTwoPi;
}

double Binomial::cdf(double x) const {
  const double k = std::floor(x);
  if (k < 0) return 0;
  if (k >= trials) return 1;
  if (p == 0 || p == 1) return p == 0 ? 1 : 0;
  return beta_i(trials - k, k + 1, {1 - p, p});
}

double Binomial::quantile(double probability) const {
  if (probability == 0) return 0;
  if (probability == 1) return p == 0 ? 0 : trials;
  const double deviation = std::sqrt(variance());
  return least_integer([&](double k) { return cdf(k) >= probability; },
                       mean() + deviation * normal_quantile(probability), deviation / 8, 0, trials);
}

double Binomial::entropy() const {
  const double reach = 10 * std::sqrt(variance()) + 40;
  return count_entropy([&](double k) { return log_mass(k); },
                       {std::max(0.0, std::floor(mean() - reach)),
                        std::min(trials, std::ceil(mean() + reach)), reach / 10});
}

double Binomial::sample(Random& random) const { return draw_binomial(random, trials, p); }

std::array<double, 2> Binomial::standard_errors() const {
  return {NAN, std::sqrt(p * (1 - p) / trials)};
}

std::array<double, 1> Binomial::natural() const { return {std::log(p) - std::log1p(-p)}; }
double Binomial::log_partition() const { return -trials * std::log1p(-p); }
double Binomial::log_base(double x) const {
  return -std::log1p(trials) - log_beta(x + 1, trials - x + 1);
}
Binomial Binomial::from_natural(std::array<double, 1> eta) const {
  return {trials, 1 / (1 + std::exp(-eta[0]))};
}

}  // namespace craton
