#include "craton/families/negative_binomial.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/counts.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

struct MeanVariance {
  double mean, variance;
};
MeanVariance moments_of(const Values& seen) {
  double mean = 0, variance = 0;
  for (const auto& [x, w] : seen.values) mean += w * x;
  mean /= seen.weight;
  for (const auto& [x, w] : seen.values) variance += w * (x - mean) * (x - mean);
  return {mean, variance / seen.weight};
}

// digamma(r + x) - digamma(r) for a count x: exactly, or by two logarithms that are near.
double digamma_rise(double r, double x) {
  if (x > 32) return std::log1p(x / r) - log_minus_digamma(r + x) + log_minus_digamma(r);
  double sum = 0;
  for (double j = 0; j < x; ++j) sum += 1 / (r + j);
  return sum;
}
double trigamma_fall(double r, double x) {
  if (x > 32) return trigamma(r) - trigamma(r + x);
  double sum = 0;
  for (double j = 0; j < x; ++j) sum += 1 / ((r + j) * (r + j));
  return sum;
}

// The likelihood's slope in r with the mean at its best, per row, and its own slope in log r.
Slope score(const Values& seen, double mean, double r) {
  double rise = 0, fall = 0;
  for (const auto& [x, w] : seen.values) {
    rise += w * digamma_rise(r, x);
    fall += w * trigamma_fall(r, x);
  }
  return {rise / seen.weight - std::log1p(mean / r),
          r * (mean / (r * (r + mean)) - fall / seen.weight)};
}

}  // namespace

NegativeBinomial NegativeBinomial::estimate(const Values& seen, const Estimation& how) {
  auto [mean, variance] = moments_of(seen);
  mean = std::min(mean, kGreatestCount);
  if (how.knows(1)) return {mean, how.known[1]};
  const double most = kMostSize * (1 + mean);
  if (variance <= mean || score(seen, mean, most).value >= 0) return {mean, most};
  const double start = std::log(mean * mean / (variance - mean));
  const auto f = [&](double u) { return score(seen, mean, std::exp(u)); };
  double low = start - 1;
  while (f(low).value < 0) low -= 2;  // it is positive for small r
  return {mean, std::max(std::exp(find_root(f, low, std::log(most), start)), kLeastSize)};
}

double NegativeBinomial::log_density(double x) const {
  if (!holds(Support::kCounts, x)) return -INFINITY;
  return log_mass(x);
}

double NegativeBinomial::log_mass(double x) const {
  if (x == 0) return -size * std::log1p(mu / size);
  const double r = size, n = r + x, p = r / (r + mu), q = mu / (r + mu);
  return binet(n) - binet(r) - binet(x) - deviance(r, n * p) - deviance(x, n * q) +
         0.5 * std::log(r / n / x) - kHalfLogTwoPi;
}

double NegativeBinomial::cdf(double x) const {
  if (x < 0) return 0;
  if (mu == 0 || std::isinf(x)) return 1;
  return beta_i(size, std::floor(x) + 1, {size / (size + mu), mu / (size + mu)});
}

double NegativeBinomial::quantile(double probability) const {
  if (probability == 1) return mu == 0 ? 0 : INFINITY;
  if (probability == 0 || mu == 0) return 0;
  const double deviation = std::sqrt(variance());
  return least_integer([&](double k) { return cdf(k) >= probability; },
                       mu + deviation * normal_quantile(probability), deviation / 8, 0,
                       kGreatestCount);
}

namespace {

// Beyond the upper end (1 - p)^x has fallen by exp(-45).
CountWindow window_of(const NegativeBinomial& f) {
  const double deviation = std::sqrt(f.variance()), tail = 1 + f.mu / f.size;
  return {std::max(0.0, std::floor(f.mu - 12 * deviation - 40)),
          std::ceil(f.mu + 12 * deviation + 45 * tail), std::max(deviation, tail)};
}

}  // namespace

double NegativeBinomial::entropy() const {
  return count_entropy([&](double k) { return log_mass(k); }, window_of(*this));
}

double NegativeBinomial::sample(Random& random) const {
  return draw_negative_binomial(random, mu, size);
}

// The two estimates are independent. E(trigamma(r) - trigamma(r + x)) has no closed form.
std::array<double, 2> NegativeBinomial::standard_errors() const {
  const auto term = [&](double k) { return std::exp(log_mass(k)) * trigamma_fall(size, k); };
  const double information = sum_counts(term, window_of(*this)) - mu / (size * (size + mu));
  return {std::sqrt(variance()), information > 0 ? 1 / std::sqrt(information) : INFINITY};
}

std::array<double, 1> NegativeBinomial::natural() const { return {-std::log1p(size / mu)}; }
double NegativeBinomial::log_partition() const { return size * std::log1p(mu / size); }
double NegativeBinomial::log_base(double x) const {
  return x == 0 ? 0 : -std::log(x) - log_beta(size, x);
}
NegativeBinomial NegativeBinomial::from_natural(std::array<double, 1> eta) const {
  return {size / std::expm1(-eta[0]), size};
}

}  // namespace craton
