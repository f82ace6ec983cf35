#include "craton/kernels/special.h"

// Boost's assertions become exceptions, which stay in this file.
#define BOOST_ENABLE_ASSERT_HANDLER

#include <algorithm>
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
#include <stdexcept>

#include "craton/base/random.h"

namespace boost {

void assertion_failed(const char* condition, const char*, const char*, long) {
  throw std::domain_error(condition);
}
void assertion_failed_msg(const char* condition, const char*, const char*, const char*, long) {
  throw std::domain_error(condition);
}

}  // namespace boost

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

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What Boost cannot do, whether it asserts or throws, has no value here.
template <class F>
double guarded(const F& f) {
  try {
    return f();
  } catch (const std::exception&) {
    return kNan;
  }
}

// Powers of shapes beyond this lose digits that long double has.
constexpr double kLargeShape = 1e5;
template <class F, class... T>
double widely(double shape, const F& f, T... values) {
  return guarded([&] {
    if (shape < kLargeShape) return f(values...);
    return static_cast<double>(f(static_cast<long double>(values)...));
  });
}

// Series of Boost take sqrt(shape) terms and more: from here on the asymptotic forms below are as
// exact.
constexpr double kHugeShape = 1e6;
constexpr double kLeastLog = 750;  // exp(-750) is 0

// Q(a, x) - erfc(+-sqrt(d)) / 2 for huge a, where d = a (x / a - 1 - log(x / a)): N. M. Temme, "The
// asymptotic expansion of the incomplete gamma functions", SIAM J. Math. Anal. 10 (1979).
double temme_gamma_rest(double a, double eta, double d) {
  constexpr std::array kFirst{-1.0 / 3,   1.0 / 12,        -2.0 / 135, 1.0 / 864,
                              1.0 / 2835, -139.0 / 777600, 1.0 / 25515};
  constexpr std::array kSecond{-1.0 / 540, -1.0 / 288, 1.0 / 378, -77.0 / 77760};
  const double sum = series(kFirst, eta) + series(kSecond, eta) / a;
  return std::exp(-d) / std::sqrt(2 * std::numbers::pi * a) * sum;
}

struct Tails {
  double lower, upper;
};
Tails huge_gamma(double a, double x) {
  const double d = deviance(a, x);
  if (!(d < kLeastLog)) return x < a ? Tails{0, 1} : Tails{1, 0};
  const double root = std::copysign(std::sqrt(d), x - a);
  const double rest = temme_gamma_rest(a, root * std::sqrt(2 / a), d);
  return {0.5 * std::erfc(-root) - rest, 0.5 * std::erfc(root) + rest};
}

// The x of a lower tail p and an upper one q: the expansion of Cornish and Fisher, then a step of
// Newton's on the smaller tail.
double huge_gamma_inverse(double a, double p, double q) {
  const double z = p < q ? normal_quantile(p) : -normal_quantile(q), root = std::sqrt(a);
  const double x = a + root * z + (z * z - 1) / 3 + z * (z * z - 7) / (36 * root);
  const Tails at = huge_gamma(a, x);
  const double density = std::exp(-deviance(a, x) - binet(a)) * root / x;  // without sqrt(2 pi)
  const double gap = p < q ? at.lower - p : q - at.upper;
  const double step = gap * std::sqrt(2 * std::numbers::pi) / density;
  return std::isfinite(step) ? x - step : x;
}

// Of the incomplete beta function with large a + b, at x = a / (a + b) + away / (a + b):
//
//   x^a (1 - x)^b / B(a, b) = exp(-d) sqrt(a b / (2 pi (a + b))) exp(binet(a + b) - ...),
//
// where d is the sum of two deviances.
struct LargeBeta {
  double a, b, x, y, away, d;

  LargeBeta(double a_, double b_, const Complements& at)
      : a(a_), b(b_), x(at.x), y(at.one_minus_x) {
    const double s = a + b;
    away = x <= y ? std::fma(s, x, -a) : -std::fma(s, y, -b);
    d = deviance_of(a, s * x, away) + deviance_of(b, s * y, -away);
  }
  double power_terms() const {
    const double s = a + b;
    return std::exp(binet(s) - binet(a) - binet(b) - d) *
           std::sqrt(a / s * b / (2 * std::numbers::pi));
  }
  LargeBeta turned() const {
    LargeBeta result = *this;
    std::swap(result.a, result.b);
    std::swap(result.x, result.y);
    result.away = -away;
    return result;
  }

 private:
  // deviance(m, at), given the gap at - m.
  static double deviance_of(double m, double at, double gap) {
    const double t = gap / m;
    return std::abs(t) < 0.3 ? -m * log1p_minus(t) : gap - m * std::log(at / m);
  }
};

// The continued fraction of I_x(a, b) for x below the mean: A. R. DiDonato and A. H. Morris,
// "Significant digit computation of the incomplete beta function ratios", ACM TOMS 18 (1992),
// equation 9, by Lentz's method. It takes some sqrt(min(a, b)) terms.
double beta_fraction(const LargeBeta& f) {
  constexpr int kMost = 10'000;
  constexpr double kLast = 1e-16;
  const double a = f.a, b = f.b, x = f.x, y = f.y;
  double value = a / (a + 1) * (1 - f.away), c = value, d = 0;
  for (int i = 1; i < kMost; ++i) {
    const double n = i, above = a + 2 * n - 1, rest = n * (b - n) * x;
    const double numerator = (a + n - 1) / above * ((a + b + n - 1) / above) * rest * x;
    const double denominator =
        n + rest / above + (a + n) / (above + 2) * (1 - f.away + n * (1 + y));
    d = 1 / (denominator + numerator * d);
    c = denominator + numerator / c;
    value *= c * d;
    if (std::abs(c * d - 1) <= kLast) break;
  }
  return f.power_terms() / value;
}

// N. M. Temme, "Special Functions" (1996), 11.3.3.2 (DLMF 8.18.9): both shapes are huge.
double temme_beta(const LargeBeta& f) {
  const double s = f.a + f.b, root = std::copysign(std::sqrt(f.d), f.away);
  const double eta = root * std::sqrt(2 / s), share = std::sqrt(f.a / s * (f.b / s));
  const double first =
      std::abs(root) < 1e-3 ? (f.b - f.a) / s / (3 * share) : 1 / eta - share * s / f.away;
  return 0.5 * std::erfc(-root) + std::exp(-f.d) / std::sqrt(2 * std::numbers::pi * s) * first;
}

double large_beta(const LargeBeta& f) {
  if (!(f.d < kLeastLog)) return f.away < 0 ? 0 : 1;
  if (std::min(f.a, f.b) >= kHugeShape) return temme_beta(f);
  return f.away < 0 ? beta_fraction(f) : 1 - beta_fraction(f.turned());
}

// Newton's steps for the logarithm of the smaller tail, which has all its digits, in the log-odds t
// of x; a bracket is halved where they leave it.
Complements solve_beta(double a, double b, double p) {
  const auto at_odds = [](double t) {
    return Complements{1 / (1 + std::exp(-t)), 1 / (1 + std::exp(t))};
  };
  constexpr int kMost = 200;
  const bool lower = p < 0.5;
  double low = -kLeastLog, high = kLeastLog, t = std::clamp(std::log(a / b), low, high);
  for (int i = 0; i < kMost; ++i) {
    const Complements at = at_odds(t);
    const double tail = lower ? beta_i(a, b, at) : beta_i(b, a, {at.one_minus_x, at.x});
    const double gap = std::log(tail) - (lower ? std::log(p) : std::log1p(-p));
    if (std::isnan(gap)) return {kNan, kNan};
    if (gap == 0) break;
    ((gap < 0) == lower ? low : high) = t;
    const double step = gap * tail / LargeBeta(a, b, at).power_terms(), last = t;
    const double newton = lower ? t - step : t + step;
    t = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (std::abs(t - last) <= 1e-16 * std::abs(t)) break;
  }
  return at_odds(t);
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

double log_gamma(double x) {
  return guarded([&] { return bm::lgamma(x, kPolicy); });
}
double digamma(double x) {
  return guarded([&] { return bm::digamma(x, kPolicy); });
}
double trigamma(double x) {
  return guarded([&] { return bm::trigamma(x, kPolicy); });
}

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
  if (x == 0 || std::isinf(m)) return m;
  // x log(x / m) + m - x = x (t - log(1 + t)), where t = (m - x) / x.
  const double t = (m - x) / x;
  if (std::abs(t) < 0.3) return -x * log1p_minus(t);
  return m - x + x * (std::log(x) - std::log(m));
}

double log_gamma_1p(double x) {
  if (x > kLarge) return log_gamma(1 + x);
  return guarded([&] { return std::log1p(bm::tgamma1pm1(x, kPolicy)); });
}

double gamma_p(double a, double x) {
  if (a >= kHugeShape) return huge_gamma(a, x).lower;
  return widely(
      a, [](auto p, auto q) { return bm::gamma_p(p, q, kPolicy); }, a, x);
}
double gamma_q(double a, double x) {
  if (a >= kHugeShape) return huge_gamma(a, x).upper;
  return widely(
      a, [](auto p, auto q) { return bm::gamma_q(p, q, kPolicy); }, a, x);
}
double gamma_p_inverse(double a, double p) {
  if (a >= kHugeShape && p > 0 && p < 1) return huge_gamma_inverse(a, p, 1 - p);
  return guarded([&] { return bm::gamma_p_inv(a, p, kPolicy); });
}
double gamma_q_inverse(double a, double q) {
  if (a >= kHugeShape && q > 0 && q < 1) return huge_gamma_inverse(a, 1 - q, q);
  return guarded([&] { return bm::gamma_q_inv(a, q, kPolicy); });
}

double beta_i(double a, double b, Complements at) {
  if (!(at.x > 0 && at.one_minus_x > 0)) return at.x > 0 ? 1 : 0;
  if (a + b >= kLargeShape) return large_beta({a, b, at});
  // The smaller of the two has all its digits.
  return guarded([&] {
    return at.x <= at.one_minus_x ? bm::ibeta(a, b, at.x, kPolicy)
                                  : bm::ibetac(b, a, at.one_minus_x, kPolicy);
  });
}

Complements beta_i_inverse(double a, double b, double p) {
  constexpr double kNear = 1e-11;  // Boost's search goes astray far out in the tails
  Complements at{kNan, kNan};
  if (a + b < kLargeShape || p <= 0 || p >= 1) {
    at.x = guarded([&] { return bm::ibeta_inv(a, b, p, &at.one_minus_x, kPolicy); });
    const bool near = std::abs(beta_i(a, b, at) - p) <= kNear * std::min(p, 1 - p);
    if (near || p <= 0 || p >= 1) return at;
  }
  return solve_beta(a, b, p);
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
  if (k < kLargeBessel)
    return guarded([&] { return std::log(bm::cyl_bessel_i(0, k, kPolicy)); }) - k;
  return std::log(bessel_series(0, k)) - kHalfLogTwoPi - 0.5 * std::log(k);
}

double bessel_ratio(double k) {
  if (k >= kLargeBessel) return bessel_series(1, k) / bessel_series(0, k);
  return guarded([&] { return bm::cyl_bessel_i(1, k, kPolicy) / bm::cyl_bessel_i(0, k, kPolicy); });
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
