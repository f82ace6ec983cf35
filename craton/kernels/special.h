#pragma once
#include <limits>

// Special functions of one number, to about 1e-14 relative unless it says otherwise: Boost.Math
// behind a door, so that one file only pays for its headers, and the few forms that it does not
// have. What has no value is NaN or an infinity; nothing throws.

namespace craton {

inline constexpr double kHalfLogTwoPi = 0.918938533204672741780329736406;
inline constexpr double kLogTwoPi = 1.837877066409345483560659472811;
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr double kNever = -kInfinite;  // log 0

double log_gamma(double x);     // log Gamma(x), x > 0
double log_gamma_1p(double x);  // log Gamma(1 + x), all digits of it at small x
double digamma(double x);       // psi = (log Gamma)', x > 0
double trigamma(double x);      // psi'

// log Gamma(x) = (x - 1/2) log x - x + log(2 pi) / 2 + binet(x), x > 0: what Stirling's formula
// leaves over, 1 / (12 x) and less.
double binet(double x);
// log x - digamma(x) and x trigamma(x) - 1, without the cancellation at large x.
double log_minus_digamma(double x);
double x_trigamma_minus_1(double x);

// x log(x / m) + m - x >= 0 for x >= 0, m > 0, without the cancellation at x near m: the deviance
// of Poisson counts (Loader, "Fast and accurate computation of binomial probabilities", 2000).
// Densities are exp(-deviance) times a slow factor.
double deviance(double x, double m);
double log1p_minus(double x);  // log(1 + x) - x, x > -1

// Incomplete gamma function P(a, x) = 1 - Q(a, x), and the x of a given P or Q.
double gamma_p(double a, double x);
double gamma_q(double a, double x);
double gamma_p_inverse(double a, double p);
double gamma_q_inverse(double a, double q);

// Incomplete beta function I_x(a, b) = 1 - I^c_x(a, b), given x and 1 - x; and the x of a given I,
// with 1 - x.
struct Complements {
  double x, one_minus_x;
};
double beta_i(double a, double b, Complements at);
Complements beta_i_inverse(double a, double b, double p);
double log_beta(double a, double b);

double normal_cdf(double z);

// log(exp(-k) I_0(k)), and I_1(k) / I_0(k), the mean cosine of a von Mises angle; k >= 0.
double log_bessel_i0_scaled(double k);
double bessel_ratio(double k);
double one_minus_bessel_ratio(double k);

}  // namespace craton
