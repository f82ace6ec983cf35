#include "craton/kernels/smoothing/smoothing_kernel.h"

#include <cmath>
#include <numbers>

#include "craton/base/distributions.h"
#include "craton/base/error.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

constexpr double kPi = std::numbers::pi;

// 1 - 2^-s + 3^-s - ..., for s >= 0 (Cohen, Rodriguez Villegas, Zagier, "Convergence acceleration
// of alternating series", 2000: algorithm 1, right to 5.8^-kTerms).
double alternating_zeta(double s) {
  constexpr int kTerms = 24;
  double d = std::pow(3 + std::sqrt(8.0), kTerms);
  d = (d + 1 / d) / 2;
  double b = -1, c = -d, sum = 0;
  for (int k = 0; k < kTerms; ++k) {
    c = b - c;
    sum += c * std::pow(k + 1, -s);
    b *= (k + kTerms) * (k - kTerms) / ((k + 0.5) * (k + 1));
  }
  return sum / d;
}

// The integral of sin(pi s / 2) (1 - s)^j over 0 < s < 1, term by term of the sine's series: the
// powers of s give beta functions, and nothing cancels, however large j is.
double log_cosine_moment(double j) {
  const double half = kPi / 2;
  double term = half / ((j + 1) * (j + 2)), sum = 0;
  for (int k = 0; std::abs(term) > 1e-18 * sum; ++k) {
    sum += term;
    term *= -half * half / ((j + 2 * k + 3) * (j + 2 * k + 4));
  }
  return std::log(sum);
}

// log m_j
double log_moment(SmoothingKernel kernel, double j) {
  const auto of_squares = [&](double power) {  // k = (1 - u^2)^power
    return log_beta((j + 1) / 2, power + 1) - std::log(2.0);
  };
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return (j - 1) / 2 * std::log(2.0) + log_gamma((j + 1) / 2);
    case SmoothingKernel::kExponential:
      return log_gamma(j + 1);
    case SmoothingKernel::kLogistic:
      return std::log(4.0) + log_gamma(j + 1) + std::log(alternating_zeta(j));
    case SmoothingKernel::kTophat:
      return of_squares(0);
    case SmoothingKernel::kEpanechnikov:
      return of_squares(1);
    case SmoothingKernel::kBiweight:
      return of_squares(2);
    case SmoothingKernel::kTriweight:
      return of_squares(3);
    case SmoothingKernel::kTricube:
      return log_beta((j + 1) / 3, 4) - std::log(3.0);
    case SmoothingKernel::kLinear:
      return -std::log((j + 1) * (j + 2));
    case SmoothingKernel::kCosine:
      return log_cosine_moment(j);
  }
  assertion_failed("a kernel", __FILE__, __LINE__);
}

// u with density proportional to k(u) u^(d-1).
double draw_radius(SmoothingKernel kernel, double d, Random& random) {
  const auto of_squares = [&](double power) {
    return std::sqrt(draw_beta(random, d / 2, power + 1));
  };
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return std::sqrt(2 * draw_gamma(random, d / 2));
    case SmoothingKernel::kExponential:
      return draw_gamma(random, d);
    case SmoothingKernel::kLogistic:  // of the exponential, 1 / (1 + e^-u)^2 of the draws are taken
      for (;;) {
        const double u = draw_gamma(random, d), root = 1 + std::exp(-u);
        if (random.uniform() * root * root < 1) return u;
      }
    case SmoothingKernel::kTophat:
      return of_squares(0);
    case SmoothingKernel::kEpanechnikov:
      return of_squares(1);
    case SmoothingKernel::kBiweight:
      return of_squares(2);
    case SmoothingKernel::kTriweight:
      return of_squares(3);
    case SmoothingKernel::kTricube:
      return std::cbrt(draw_beta(random, d / 3, 4));
    case SmoothingKernel::kLinear:
      return draw_beta(random, d, 2);
    case SmoothingKernel::kCosine:  // at most pi / 2 times the linear one
      for (;;) {
        const double u = draw_beta(random, d, 2), s = kPi / 2 * (1 - u);
        if (random.uniform() * s < std::sin(s)) return u;
      }
  }
  assertion_failed("a kernel", __FILE__, __LINE__);
}

}  // namespace

double log_volume(SmoothingKernel kernel, Index columns) {
  const auto d = static_cast<double>(columns);
  return std::log(2.0) + d / 2 * std::log(kPi) - log_gamma(d / 2) + log_moment(kernel, d - 1);
}

double kernel_deviation(SmoothingKernel kernel, Index columns) {
  const auto d = static_cast<double>(columns);
  return std::exp((log_moment(kernel, d + 1) - log_moment(kernel, d - 1) - std::log(d)) / 2);
}

double kernel_tail(SmoothingKernel kernel, double u) {
  if (is_compact(kernel) && u >= 1) return 0;
  const double s = 1 - u;
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return std::erfc(u / std::numbers::sqrt2) / 2;
    case SmoothingKernel::kExponential:
      return std::exp(-u) / 2;
    case SmoothingKernel::kLogistic:
      return 1 / (1 + std::exp(u));
    case SmoothingKernel::kTophat:
      return s / 2;
    case SmoothingKernel::kLinear:
      return s * s / 2;
    case SmoothingKernel::kEpanechnikov:
      return s * s * (2 + u) / 4;
    case SmoothingKernel::kBiweight:
      return s * s * s * (8 + u * (9 + 3 * u)) / 16;
    case SmoothingKernel::kTriweight:
      return s * s * s * s * (16 + u * (29 + u * (20 + 5 * u))) / 32;
    case SmoothingKernel::kTricube: {  // 1 - u^3 = s (3 - 3 s + s^2)
      double sum = 0;
      for (const double c : {1.0 / 10, -1.0, 9.0 / 2, -81.0 / 7, 18.0, -81.0 / 5, 27.0 / 4}) {
        sum = sum * s + c;
      }
      return 70.0 / 81 * s * s * s * s * sum;
    }
    case SmoothingKernel::kCosine: {
      const double half = std::sin(kPi / 4 * s);
      return half * half;
    }
  }
  assertion_failed("a kernel", __FILE__, __LINE__);
}

void draw_kernel(SmoothingKernel kernel, Index columns, Random& random, double* out) {
  double square = 0;
  for (Index j = 0; j < columns; ++j) {
    out[j] = random.normal();
    square += out[j] * out[j];
  }
  const double scale =
      draw_radius(kernel, static_cast<double>(columns), random) / std::sqrt(square);
  for (Index j = 0; j < columns; ++j) out[j] *= scale;
}

}  // namespace craton
