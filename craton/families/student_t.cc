#include "craton/families/student_t.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"
#include "craton/families/laplace.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// log Gamma(h + 1/2) - log Gamma(h) - log(h) / 2, through Stirling's formula.
double log_gamma_half_step(double h) {
  return h * std::log1p(0.5 / h) - 0.5 + binet(h + 0.5) - binet(h);
}
// digamma(h + 1/2) - digamma(h) - 1 / (2 h).
double digamma_half_step(double h) {
  return log1p_minus(0.5 / h) - log_minus_digamma(h + 0.5) + log_minus_digamma(h);
}

// The mean log-likelihood about (m, log s, log n).
Hill<3> likelihood(const Values& seen, const std::array<double, 3>& at) {
  const double m = at[0], s = std::exp(at[1]), n = std::exp(at[2]);
  const StudentT::Density log_density = StudentT{m, s, n}.prepared();
  Hill<3> hill;
  auto& [gm, gs, gn] = hill.gradient;
  auto& h = hill.hessian;
  for (const auto& [x, weight] : seen.values) {
    const double w = weight / seen.weight, z = (x - m) / s, square = z * z, d = n + square;
    hill.value += w * log_density(x);
    gm += w * (n + 1) * z / (s * d);
    gs += w * ((n + 1) * square / d - 1);
    gn += w * 0.5 * ((n + 1) * square / d - n * std::log1p(square / n));
    h[0][0] += w * (n + 1) * (square - n) / (s * s * d * d);
    h[0][1] -= w * 2 * (n + 1) * n * z / (s * d * d);
    h[1][1] -= w * 2 * (n + 1) * n * square / (d * d);
    h[0][2] += w * n * z * (square - 1) / (s * d * d);
    h[1][2] += w * n * square * (square - 1) / (d * d);
    h[2][2] += w * 0.5 * (n * square / d - square * (n * n + 2 * n + square) / (d * d));
  }
  const double step = n * digamma_half_step(n / 2) / 2;
  gn += step;
  h[2][2] += 0.25 * n * n * (trigamma((n + 1) / 2) - trigamma(n / 2)) + 0.5 + gn;
  h[1][0] = h[0][1];
  h[2][0] = h[0][2];
  h[2][1] = h[1][2];
  return hill;
}

// A few steps of EM (Lange, Little and Taylor, "Robust statistical modeling using the t
// distribution", 1989) bring location and scale near the top.
void expectation_maximisation(const Values& seen, double degrees, double& m, double& s) {
  for (int i = 0; i < 20; ++i) {
    double sum = 0, first = 0, second = 0;
    for (const auto& [x, w] : seen.values) {
      const double z = (x - m) / s, share = w * (degrees + 1) / (degrees + z * z);
      sum += share;
      first += share * (x - m);
      second += share * (x - m) * (x - m);
    }
    const double move = first / sum;
    m += move;
    s = std::sqrt(std::max(second - sum * move * move, 0.0) / seen.weight);
    if (s == 0) return;
  }
}

// With the degrees held, down to the lowest logarithm of the scale.
std::array<double, 3> climb_held(const Values& seen, const std::array<double, 3>& start,
                                 double lowest) {
  const auto f = [&](const std::array<double, 2>& at) {
    const Hill<3> hill = likelihood(seen, {at[0], at[1], start[2]});
    return Hill<2>{
        hill.value,
        {hill.gradient[0], hill.gradient[1]},
        {{{hill.hessian[0][0], hill.hessian[0][1]}, {hill.hessian[1][0], hill.hessian[1][1]}}}};
  };
  const auto leaves = [&](const std::array<double, 2>& at) { return at[1] < lowest; };
  const auto [m, log_s] = climb<2>(f, {start[0], start[1]}, leaves);
  return {m, log_s, start[2]};
}

// Values about their median, in units of their mean distance from it.
struct Standardised {
  Values values;
  double centre, unit;
};
Standardised standardise(const Values& seen) {
  const double centre = weighted_median(seen);
  double unit = 0;
  for (const auto& [x, w] : seen.values) unit += w * std::abs(x - centre);
  Standardised result{seen, centre, unit / seen.weight};
  for (Values::Value& v : result.values.values) v.x = (v.x - centre) / result.unit;
  return result;
}

}  // namespace

StudentT StudentT::estimate(const Values& seen, const Estimation& how) {
  const bool held = how.knows(2);
  const double start = held ? how.known[2] : 4;
  const double middle = weighted_median(seen), least = least_deviation(middle, how);
  const Laplace wide = Laplace::estimate(seen, how);
  if (wide.scale <= least) return {middle, least, held ? start : kMost};
  const auto [values, centre, unit] = standardise(seen);
  double m = 0, s = 1;
  expectation_maximisation(values, start, m, s);
  const double lowest = std::log(std::max(least / unit, kLeastScale));
  const double fewest = std::log(kFewest), most = std::log(kMost);
  std::array<double, 3> at{m, std::max(std::log(s), lowest), std::log(start)};
  at = climb_held(values, at, lowest);
  if (!held && at[1] > lowest) {
    const auto f = [&v = values](const std::array<double, 3>& x) { return likelihood(v, x); };
    const auto leaves = [&](const std::array<double, 3>& x) {
      return x[1] < lowest || x[2] < fewest || x[2] > most;
    };
    at = climb<3>(f, at, leaves);
    if (at[1] > lowest && (at[2] < fewest || at[2] > most)) {
      at[2] = std::clamp(at[2], fewest, most);
      at = climb_held(values, at, lowest);
    }
  }
  if (at[1] <= lowest) at = {0, lowest, at[2]};  // the peak has become a spike over the median
  return {centre + unit * at[0], unit * std::exp(at[1]),
          held ? start : std::exp(std::clamp(at[2], fewest, most))};
}

double StudentT::Density::operator()(double x) const {
  const double z = (x - location) * rate;
  // z^2 / n may overflow.
  const double log = std::abs(z) < 1e150 ? std::log1p(z * z / degrees)
                                         : 2 * std::log(std::abs(z)) - std::log(degrees);
  return constant - 0.5 * (degrees + 1) * log;
}

StudentT::Density StudentT::prepared() const {
  const double constant = log_gamma_half_step(degrees / 2) - kHalfLogTwoPi - std::log(scale);
  return {constant, location, 1 / scale, degrees};
}

double StudentT::cdf(double x) const {
  const double z = (x - location) / scale, square = z * z, sum = degrees + square;
  if (std::isinf(square)) return z < 0 ? 0 : 1;
  const double tail = 0.5 * beta_i(degrees / 2, 0.5, {degrees / sum, square / sum});
  return z <= 0 ? tail : 1 - tail;
}

double StudentT::quantile(double p) const {
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  const auto [x, rest] = beta_i_inverse(degrees / 2, 0.5, 2 * std::min(p, 1 - p));
  const double z = std::sqrt(degrees * (rest / x));
  return p < 0.5 ? location - scale * z : location + scale * z;
}

double StudentT::mean() const { return degrees > 1 ? location : NAN; }

double StudentT::variance() const {
  if (degrees <= 1) return NAN;
  return degrees <= 2 ? INFINITY : scale * scale * (degrees / (degrees - 2));
}

double StudentT::entropy() const {
  const double h = degrees / 2;
  return (h + 0.5) * (digamma_half_step(h) + 0.5 / h) - log_gamma_half_step(h) + kHalfLogTwoPi +
         std::log(scale);
}

double StudentT::sample(Random& random) const {
  return location + scale * draw_student_t(random, degrees);
}

std::array<double, 3> StudentT::standard_errors() const {
  const double n = degrees, s = scale;
  const double ss = 2 * n / ((n + 3) * s * s), sn = -2 / (s * (n + 1) * (n + 3));
  const double nn =
      0.25 * (trigamma(n / 2) - trigamma((n + 1) / 2)) - (n + 5) / (2 * n * (n + 1) * (n + 3));
  const double determinant = ss * nn - sn * sn;
  return {s * std::sqrt((n + 3) / (n + 1)), std::sqrt(nn / determinant),
          std::sqrt(ss / determinant)};
}

}  // namespace craton
