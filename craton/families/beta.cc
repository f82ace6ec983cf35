#include "craton/families/beta.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// The mean log-likelihood but for a constant, about u = log a and v = log b; first and second are
// mean log(x / c) and mean log((1 - x) / (1 - c)).
Hill<2> likelihood(double u, double v, double c, double first, double second) {
  const double a = std::exp(u), b = std::exp(v), s = a + b;
  const double at_a = std::log(c * s / a) + first, at_b = std::log((1 - c) * s / b) + second;
  const double d_a = at_a + log_minus_digamma(a) - log_minus_digamma(s);
  const double d_b = at_b + log_minus_digamma(b) - log_minus_digamma(s);
  const double both = trigamma(s);
  Hill<2> hill;
  hill.value = a * at_a + b * at_b + 0.5 * std::log(a / s * b) - binet(a) - binet(b) + binet(s);
  hill.gradient = {a * d_a, b * d_b};
  hill.hessian = {{{a * d_a + a * a * (both - trigamma(a)), a * b * both},
                   {a * b * both, b * d_b + b * b * (both - trigamma(b))}}};
  return hill;
}

}  // namespace

Beta Beta::estimate(const UnitMoments& seen, const Estimation& how) {
  const double mean = seen.mean(), small = std::min(mean, 1 - mean);
  const double least = small * least_share(small, how);
  const double variance = std::max(seen.variance(), least * least);
  if (!(variance > 1e-290)) return {mean / least * (mean / least), mean / least / least};
  const double start = std::max(mean * (1 - mean) / variance - 1, 1e-3);  // of a + b
  if (seen.variance() <= least * least) return {mean * start, (1 - mean) * start};
  const auto f = [&](const std::array<double, 2>& at) {
    return likelihood(at[0], at[1], seen.scale, seen.log_sum / seen.weight,
                      seen.log_complement / seen.weight);
  };
  const auto [u, v] = climb<2>(f, {std::log(mean * start), std::log((1 - mean) * start)});
  return {std::exp(u), std::exp(v)};
}

// As for the gamma density, no two large terms cancel.
double Beta::Density::operator()(double x) const {
  if (!(x > 0 && x < 1)) return -INFINITY;
  const double s = a + b;
  return constant - deviance(a, s * x) - deviance(b, s * (1 - x)) - std::log(x) - std::log1p(-x);
}

Beta::Density Beta::prepared() const {
  const double s = a + b;
  return {0.5 * std::log(a / s * b) - kHalfLogTwoPi - binet(a) - binet(b) + binet(s), a, b};
}

double Beta::cdf(double x) const {
  if (x <= 0) return 0;
  return x >= 1 ? 1 : beta_i(a, b, {x, 1 - x});
}

double Beta::quantile(double p) const {
  if (p == 0 || p == 1) return p;
  return beta_i_inverse(a, b, p).x;
}

double Beta::variance() const {
  const double s = a + b;
  return a / s * (b / s) / (s + 1);
}

double Beta::entropy() const {
  const double s = a + b;
  return 0.5 * std::log(a / s * b / s) + kHalfLogTwoPi - 0.5 * std::log(s) + binet(a) + binet(b) -
         binet(s) + (a - 1) * log_minus_digamma(a) + (b - 1) * log_minus_digamma(b) -
         (s - 2) * log_minus_digamma(s);
}

double Beta::sample(Random& random) const { return draw_beta(random, a, b); }

std::array<double, 2> Beta::standard_errors() const {
  const double at_a = trigamma(a), at_b = trigamma(b), both = trigamma(a + b);
  const double determinant = at_a * at_b - both * (at_a + at_b);
  return {std::sqrt((at_b - both) / determinant), std::sqrt((at_a - both) / determinant)};
}

double Beta::log_partition() const { return log_beta(a, b); }

}  // namespace craton
