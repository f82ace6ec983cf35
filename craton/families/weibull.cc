#include "craton/families/weibull.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "craton/base/distributions.h"
#include "craton/families/gaussian.h"
#include "craton/families/solve.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Sums over y = log(x / greatest) <= 0, so that no power overflows: w, w y, and those with
// exp(k y).
struct Powers {
  double sum = 0, first = 0, second = 0;
};
Powers powers(const Values& seen, double k) {
  Powers p;
  const double top = std::log(seen.values.back().x);
  for (const auto& [x, w] : seen.values) {
    const double y = std::log(x) - top, power = w * std::exp(k * y);
    p.sum += power;
    p.first += power * y;
    p.second += power * y * y;
  }
  return p;
}

// Below it quantiles overflow: log x would spread over hundreds.
constexpr double kLeastShape = 0.05;

// A root of so high an order may overflow or vanish; a scale does neither.
double scale_of(const Values& seen, double k) {
  using Limits = std::numeric_limits<double>;
  const double scale = seen.values.back().x * std::pow(powers(seen, k).sum / seen.weight, 1 / k);
  return std::clamp(scale, Limits::min(), Limits::max());
}

}  // namespace

Weibull Weibull::estimate(const Values& seen, const Estimation& how) {
  if (how.knows(0)) return {how.known[0], scale_of(seen, how.known[0])};
  const double top = std::log(seen.values.back().x);
  double mean = 0, log_mean = 0, square = 0;
  for (const auto& [x, w] : seen.values) {
    mean += w * x / seen.weight;
    log_mean += w * (std::log(x) - top) / seen.weight;
  }
  for (const auto& [x, w] : seen.values) {
    square += w * std::pow(std::log(x) - top - log_mean, 2) / seen.weight;
  }
  const double most = 1 / least_share(mean, how);
  const auto f = [&](double u) -> Slope {
    const double k = std::exp(u);
    const Powers p = powers(seen, k);
    const double tilted = p.first / p.sum;
    return {tilted - 1 / k - log_mean, k * (p.second / p.sum - tilted * tilted) + 1 / k};
  };
  // log x has deviation pi / (k sqrt 6).
  const double start = square > 0 ? std::numbers::pi / std::sqrt(6 * square) : most;
  if (start >= most || f(std::log(most)).value <= 0) return {most, scale_of(seen, most)};
  const double least = std::log(kLeastShape);
  if (f(least).value > 0) return {kLeastShape, scale_of(seen, kLeastShape)};
  const double from = std::max(std::log(start), least);
  double low = std::max(from - 2, least);
  while (f(low).value > 0) low = std::max(low - 2, least);
  const double shape = std::exp(find_root(f, low, std::log(most), from));
  return {shape, scale_of(seen, shape)};
}

double Weibull::Density::operator()(double x) const {
  if (!(x > 0) || std::isinf(x)) return -INFINITY;
  const double ratio = x / scale;
  const double log = std::isnormal(ratio) ? std::log(ratio) : std::log(x) - std::log(scale);
  return constant + (shape - 1) * log - std::exp(shape * log);
}

Weibull::Density Weibull::prepared() const {
  return {std::log(shape) - std::log(scale), shape, scale};
}

double Weibull::cdf(double x) const {
  return x <= 0 ? 0 : -std::expm1(-std::pow(x / scale, shape));
}

double Weibull::quantile(double p) const { return scale * std::pow(-std::log1p(-p), 1 / shape); }

double Weibull::mean() const { return scale * std::exp(log_gamma_1p(1 / shape)); }

double Weibull::variance() const {
  const double first = log_gamma_1p(1 / shape), second = log_gamma_1p(2 / shape);
  return scale * scale * std::exp(2 * first) * std::expm1(second - 2 * first);
}

double Weibull::entropy() const {
  return std::numbers::egamma * (1 - 1 / shape) + std::log(scale / shape) + 1;
}

double Weibull::sample(Random& random) const {
  return std::max(scale * std::pow(draw_exponential(random), 1 / shape),
                  std::numeric_limits<double>::denorm_min());
}

std::array<double, 2> Weibull::standard_errors() const {
  constexpr double kShape = std::numbers::pi * std::numbers::pi / 6;
  const double c = 1 - std::numbers::egamma;
  return {shape / std::sqrt(kShape), scale / shape * std::sqrt(1 + c * c / kShape)};
}

}  // namespace craton
