#include "craton/base/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "craton/base/error.h"

// Each is a rejection with a few draws of uniform numbers, whatever its parameters.

namespace craton {
namespace {

constexpr double kLeastDouble = std::numeric_limits<double>::denorm_min();
constexpr double kBelowOne = 1 - std::numeric_limits<double>::epsilon() / 2;

// Below this mean, counts are found by walking up from 0; above it by transformed rejection.
constexpr double kFewCounts = 10;

// log k! by Stirling's series, to 1e-12.
double log_factorial(double k) {
  constexpr double kHalfLogTwoPi = 0.9189385332046727;
  if (k < 2) return 0;
  double shift = 0, x = k + 1;
  for (; x < 10; ++x) shift += std::log(x);
  const double y = 1 / (x * x);
  const double rest = (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y / 1680))) / x;
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + rest - shift;
}

// log of (m^k e^-m / k!), the terms of size m taken together before they are rounded.
double log_poisson(double k, double m) {
  if (k < 10) return k * std::log(m) - m - log_factorial(k);
  const double t = (m - k) / k;
  const double y = 1 / (k * k);
  const double stirling = (1.0 / 12 - y * (1.0 / 360 - y / 1260)) / k;
  return k * (std::log1p(t) - t) - 0.5 * std::log(2 * std::numbers::pi * k) - stirling;
}

// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26
// (2000). requires shape >= 1.
double draw_gamma_above_one(Random& random, double shape) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(random.uniform()) < 0.5 * x * x + d * (1 - v + std::log(v))) return d * v;
  }
}

// The first k whose sum of probabilities passes a uniform number; p0 = P(0), and
// ratio(k) = P(k) / P(k - 1).
template <class Ratio>
double walk_up(Random& random, double p0, double most, const Ratio& ratio) {
  double left = random.uniform(), p = p0, k = 0;
  while (left > p && k < most) {
    left -= p;
    p *= ratio(++k);
    if (p < kLeastDouble) break;  // rounding left a crumb of the uniform number
  }
  return k;
}

// W. Hörmann, "The transformed rejection method for generating Poisson random variables",
// Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
double draw_many_poisson(Random& random, double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), fast = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = random.uniform() - 0.5, v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= fast) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double bound = std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b);
    if (bound <= log_poisson(k, mean)) return k;
  }
}

// log of the binomial probability of k, but for a term without k: a product of two Poisson ones.
double log_binomial(double k, double n, double p) {
  return log_poisson(k, n * p) + log_poisson(n - k, n * (1 - p));
}

// W. Hörmann, "The generation of binomial random variates", J. Statistical Computation and
// Simulation 46 (1993), algorithm BTRS. requires n p >= 10, p <= 1/2.
double draw_many_binomial(Random& random, double n, double p) {
  const double q = 1 - p, deviation = std::sqrt(n * p * q);
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double c = n * p + 0.5, fast = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double at_mode = log_binomial(std::floor((n + 1) * p), n, p);
  for (;;) {
    const double u = random.uniform() - 0.5, v = random.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= fast) return k;
    if (k < 0 || k > n) continue;
    if (std::log(v * alpha / (a / (us * us) + b)) <= log_binomial(k, n, p) - at_mode) return k;
  }
}

}  // namespace

double draw_exponential(Random& random) { return -std::log(random.uniform()); }

// Gamma(a) is Gamma(a + 1) U^(1/a).
double draw_log_gamma(Random& random, double shape) {
  CRATON_ASSERT(shape > 0);
  if (shape >= 1) return std::log(draw_gamma_above_one(random, shape));
  const double above = draw_gamma_above_one(random, shape + 1);
  return std::log(above) + std::log(random.uniform()) / shape;
}

double draw_gamma(Random& random, double shape) {
  if (shape >= 1) return draw_gamma_above_one(random, shape);
  return std::max(std::exp(draw_log_gamma(random, shape)), kLeastDouble);
}

double draw_beta(Random& random, double a, double b) {
  const double x = draw_log_gamma(random, a), y = draw_log_gamma(random, b);
  return std::clamp(1 / (1 + std::exp(y - x)), kLeastDouble, kBelowOne);
}

void draw_dirichlet(Random& random, std::span<const double> alpha, std::span<double> out) {
  CRATON_ASSERT(alpha.size() == out.size() && !alpha.empty());
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = draw_log_gamma(random, alpha[i]);
    top = std::max(top, out[i]);
  }
  for (double& x : out) sum += x = std::exp(x - top);
  for (double& x : out) x = std::max(x / sum, kLeastDouble);
}

// A normal number over the root of an independent chi-square's mean.
double draw_student_t(Random& random, double degrees) {
  const double z = random.normal();
  return z * std::exp(0.5 * (std::log(degrees / 2) - draw_log_gamma(random, degrees / 2)));
}

// D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises distribution", Applied
// Statistics 28 (1979): rejection from the wrapped Cauchy distribution.
double draw_von_mises(Random& random, double concentration) {
  constexpr double kPi = std::numbers::pi;
  if (concentration < 1e-8) return kPi * (2 * random.uniform() - 1);
  if (concentration > 1e8) return random.normal() / std::sqrt(concentration);  // to 1e-9
  const double k = concentration, tau = 1 + std::sqrt(1 + 4 * k * k);
  const double rho = 2 * k / (tau + std::sqrt(2 * tau));  // (tau - sqrt(2 tau)) / 2k
  const double s = (1 + rho * rho) / (2 * rho);
  for (;;) {
    const double z = std::cos(kPi * random.uniform());
    const double f = (1 + s * z) / (s + z), c = k * (s - f);
    const double u = random.uniform();
    if (c * (2 - c) > u || std::log(c / u) + 1 >= c) {
      const double angle = std::acos(std::clamp(f, -1.0, 1.0));
      return random.uniform() < 0.5 ? -angle : angle;
    }
  }
}

double draw_poisson(Random& random, double mean) {
  CRATON_ASSERT(mean >= 0);
  if (mean >= kFewCounts) return draw_many_poisson(random, mean);
  return walk_up(random, std::exp(-mean), INFINITY, [&](double k) { return mean / k; });
}

double draw_binomial(Random& random, double trials, double p) {
  CRATON_ASSERT(trials >= 0 && p >= 0 && p <= 1);
  if (p > 0.5) return trials - draw_binomial(random, trials, 1 - p);
  if (trials * p >= kFewCounts) return draw_many_binomial(random, trials, p);
  const double odds = p / (1 - p);
  return walk_up(random, std::exp(trials * std::log1p(-p)), trials,
                 [&](double k) { return odds * (trials - k + 1) / k; });
}

double draw_geometric(Random& random, double p) {
  CRATON_ASSERT(p > 0 && p <= 1);
  if (p == 1) return 0;
  return std::floor(std::log(random.uniform()) / std::log1p(-p));
}

// A Poisson count whose mean is a gamma number.
double draw_negative_binomial(Random& random, double mean, double size) {
  return draw_poisson(random, draw_gamma(random, size) * (mean / size));
}

void draw_multinomial(Random& random, double trials, std::span<const double> p,
                      std::span<double> out) {
  CRATON_ASSERT(p.size() == out.size() && !p.empty());
  double left = 0;
  std::size_t last = 0;  // of those that may be drawn: it takes what is left
  for (std::size_t i = 0; i < p.size(); ++i) {
    left += p[i];
    if (p[i] > 0) last = i;
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double share = left > 0 ? std::min(1.0, p[i] / left) : 0;
    out[i] = i == last ? trials : draw_binomial(random, trials, share);
    trials -= out[i];
    left -= p[i];
  }
}

}  // namespace craton
