#include "craton/families/gamma.h"

#include <algorithm>
#include <cmath>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// The a with log a - digamma(a) = gap > 0. In u = log a the equation is nearly straight.
double shape_of_gap(double gap) {
  // T. P. Minka, "Estimating a gamma distribution" (2002): within 1.5 per cent.
  const double start = (3 - gap + std::sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap);
  const auto f = [&](double u) -> Slope {
    const double a = std::exp(u);
    return {log_minus_digamma(a) - gap, -x_trigamma_minus_1(a)};
  };
  const double u = std::log(start);
  return std::exp(find_root(f, u - 1, u + 1, u));
}

}  // namespace

Gamma Gamma::estimate(const LogMoments& seen, const Estimation& how) {
  const double mean = seen.mean(), gap = seen.log_mean_minus_mean_log();
  const double most = std::pow(least_share(mean, how), -2);
  if (how.knows(0)) return {how.known[0], how.known[0] / mean};
  // log a - digamma(a) > 1 / (2 a), so a smaller gap means a larger shape.
  const double shape = gap > 0.5 / most ? std::min(shape_of_gap(gap), most) : most;
  return {shape, shape / mean};
}

// log p = -deviance(a, rate x) - log x + log(a) / 2 - binet(a) - log(2 pi) / 2, where no two large
// terms cancel.
double Gamma::Density::operator()(double x) const {
  if (!(x > 0) || std::isinf(x)) return -INFINITY;
  return constant - deviance(shape, rate * x) - std::log(x);
}

Gamma::Density Gamma::prepared() const {
  return {0.5 * std::log(shape) - binet(shape) - kHalfLogTwoPi, shape, rate};
}

double Gamma::cdf(double x) const { return x <= 0 ? 0 : gamma_p(shape, rate * x); }

double Gamma::quantile(double p) const {
  if (p == 1) return INFINITY;
  return gamma_p_inverse(shape, p) / rate;
}

double Gamma::entropy() const {
  return 0.5 * std::log(shape) + kHalfLogTwoPi + binet(shape) - std::log(rate) +
         (shape - 1) * log_minus_digamma(shape);
}

double Gamma::sample(Random& random) const {
  const double draw = draw_gamma(random, shape) / rate;
  return std::max(draw, std::numeric_limits<double>::denorm_min());
}

std::array<double, 2> Gamma::standard_errors() const {
  const double determinant = x_trigamma_minus_1(shape);  // of the information, times rate^2
  return {std::sqrt(shape / determinant), rate * std::sqrt(trigamma(shape) / determinant)};
}

double Gamma::log_partition() const { return log_gamma(shape) - shape * std::log(rate); }

}  // namespace craton
