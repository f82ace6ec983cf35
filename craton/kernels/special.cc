#include "craton/kernels/special.h"

#include <array>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

// Boost evaluates in double, not long double: half the time, and errors of some 1e-15.

namespace craton {
namespace {

namespace bm = boost::math;
namespace bp = boost::math::policies;

using Policy =
    bp::policy<bp::domain_error<bp::ignore_error>, bp::pole_error<bp::ignore_error>,
               bp::overflow_error<bp::ignore_error>, bp::evaluation_error<bp::ignore_error>,
               bp::rounding_error<bp::ignore_error>, bp::promote_double<false>>;
constexpr Policy kPolicy{};

// From here on asymptotic series of eight terms are exact to the last place or so.
constexpr double kLarge = 16;

// sum_i c[i] y^i.
double series(std::span<const double> c, double y) {
  double sum = 0;
  for (std::size_t i = c.size(); i-- > 0;) sum = sum * y + c[i];
  return sum;
}

// B_{2i} / (2i (2i - 1)), B_{2i} / (2i) and B_{2i}, the coefficients of Stirling's series and of
// its derivatives (Abramowitz and Stegun 6.1.40, 6.3.18, 6.4.12).
constexpr std::array kBinet{1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                            1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
constexpr std::array kDigamma{1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                              1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
constexpr std::array kTrigamma{1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                               5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

// Powers of shapes beyond this lose digits that long double has.
constexpr double kLargeShape = 1e5;
template <class F, class... T>
double widely(double shape, const F& f, T... values) {
  if (shape < kLargeShape) return f(values...);
  return static_cast<double>(f(static_cast<long double>(values)...));
}

// I_0 and I_1 at large arguments (Abramowitz and Stegun 9.7.1) end well from here on.
constexpr double kLargeBessel = 50;

// sum_i prod_j ((2j - 1)^2 - 4 v^2) / (8 k j), for I_v(k) exp(-k) sqrt(2 pi k).
double bessel_series(double v, double k) {
  double term = 1, sum = 1;
  for (int j = 1; j < 30 && std::abs(term) > 1e-18; ++j) {
    term *= ((2 * j - 1) * (2 * j - 1) - 4 * v * v) / (8 * k * j);
    sum += term;
  }
  return sum;
}

}  // namespace

double log_gamma(double x) { return bm::lgamma(x, kPolicy); }
double digamma(double x) { return bm::digamma(x, kPolicy); }
double trigamma(double x) { return bm::trigamma(x, kPolicy); }

double binet(double x) {
  if (x >= kLarge) return series(kBinet, 1 / (x * x)) / x;
  return log_gamma(x) - (x - 0.5) * std::log(x) + x - kHalfLogTwoPi;
}

double log_minus_digamma(double x) {
  if (x >= kLarge) return 0.5 / x + series(kDigamma, 1 / (x * x)) / (x * x);
  return std::log(x) - digamma(x);
}

double x_trigamma_minus_1(double x) {
  if (x >= kLarge) return 0.5 / x + series(kTrigamma, 1 / (x * x)) / (x * x);
  return x * trigamma(x) - 1;
}

double log1p_minus(double x) {
  if (std::abs(x) > 0.3) return std::log1p(x) - x;
  // log(1 + x) = 2 artanh(r), r = x / (2 + x); and x = 2 r / (1 - r), so that 2 r - x = -r x.
  const double r = x / (2 + x), square = r * r;
  double term = 2 * r * square, sum = 0;
  for (int i = 3; std::abs(term) > 1e-18 * std::abs(sum) + 1e-320; i += 2) {
    sum += term / i;
    term *= square;
  }
  return sum - r * x;
}

double deviance(double x, double m) {
  if (x == 0) return m;
  // x log(x / m) + m - x = x (t - log(1 + t)), where t = (m - x) / x.
  const double t = (m - x) / x;
  if (std::abs(t) < 0.3) return -x * log1p_minus(t);
  return m - x + x * (std::log(x) - std::log(m));
}

double log_gamma_1p(double x) { return std::log1p(bm::tgamma1pm1(x, kPolicy)); }

double gamma_p(double a, double x) {
  return widely(
      a, [](auto p, auto q) { return bm::gamma_p(p, q, kPolicy); }, a, x);
}
double gamma_q(double a, double x) {
  return widely(
      a, [](auto p, auto q) { return bm::gamma_q(p, q, kPolicy); }, a, x);
}
double gamma_p_inverse(double a, double p) { return bm::gamma_p_inv(a, p, kPolicy); }
double gamma_q_inverse(double a, double q) { return bm::gamma_q_inv(a, q, kPolicy); }

double beta_i(double a, double b, Complements at) {
  // The smaller of the two has all its digits.
  if (at.x <= at.one_minus_x) {
    return widely(
        a + b, [](auto... v) { return bm::ibeta(v..., kPolicy); }, a, b, at.x);
  }
  return widely(
      a + b, [](auto... v) { return bm::ibetac(v..., kPolicy); }, b, a, at.one_minus_x);
}

// Newton's rule for log I_x in log x, of which it is concave: from the first term of the series,
// x^a / (a B(a, b)), every step but the first goes up, and none beyond.
static Complements beta_i_inverse_of_little(double a, double b, double p) {
  constexpr int kSteps = 60;
  const double norm = log_beta(a, b);
  double u = (std::log(p) + std::log(a) + norm) / a;
  if (u > -1e-9) u = -std::numbers::ln2;
  for (int i = 0; i < kSteps; ++i) {
    const double x = std::exp(u), log_slope = a * u + (b - 1) * std::log1p(-x) - norm;
    const double value = beta_i(a, b, {x, 1 - x});
    const double log_value = value > 0 ? std::log(value) : log_slope - std::log(a);
    const double step = (std::log(p) - log_value) * std::exp(log_value - log_slope);
    u += step;
    if (!(std::abs(step) > 1e-15 * std::abs(u))) break;
  }
  return {std::exp(u), -std::expm1(u)};
}

Complements beta_i_inverse(double a, double b, double p) {
  // Boost gives up too soon: it has 4e-51 for p = 1e-300 of a = 2, b = 5, which lies at 2.6e-151.
  constexpr double kSmall = 1e-15, kClose = 1e-9;
  if (p > 0 && p < kSmall) {
    const Complements at = beta_i_inverse_of_little(a, b, p);
    const bool found = std::abs(beta_i(a, b, at) - p) <= kClose * p;
    if (found || at.x < std::numeric_limits<double>::min()) return at;  // or none so small
  }
  Complements at{};
  at.x = bm::ibeta_inv(a, b, p, &at.one_minus_x, kPolicy);
  return at;
}

double log_beta(double a, double b) {
  // Both through Stirling's formula, whose leading terms cancel here and not in rounding. The
  // larger share of the sum has its logarithm from the smaller one.
  const double s = a + b;
  const double log_a = a > b ? std::log1p(-b / s) : std::log(a / s);
  const double log_b = a > b ? std::log(b / s) : std::log1p(-a / s);
  return (a - 0.5) * log_a + (b - 0.5) * log_b + kHalfLogTwoPi - 0.5 * std::log(s) + binet(a) +
         binet(b) - binet(s);
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double log_bessel_i0_scaled(double k) {
  if (k < kLargeBessel) return std::log(bm::cyl_bessel_i(0, k, kPolicy)) - k;
  return std::log(bessel_series(0, k)) - kHalfLogTwoPi - 0.5 * std::log(k);
}

double bessel_ratio(double k) {
  if (k >= kLargeBessel) return bessel_series(1, k) / bessel_series(0, k);
  return bm::cyl_bessel_i(1, k, kPolicy) / bm::cyl_bessel_i(0, k, kPolicy);
}

double one_minus_bessel_ratio(double k) {
  if (k < kLargeBessel) return 1 - bessel_ratio(k);
  // The terms of the difference of the two series, term by term.
  double zero = 1, one = 1, sum = 0;
  for (int j = 1; j < 30 && std::abs(zero) + std::abs(one) > 1e-18; ++j) {
    const double odd = (2 * j - 1) * (2 * j - 1);
    zero *= odd / (8 * k * j);
    one *= (odd - 4) / (8 * k * j);
    sum += zero - one;
  }
  return sum / bessel_series(0, k);
}

}  // namespace craton
