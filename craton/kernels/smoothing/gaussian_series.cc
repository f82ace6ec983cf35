#include "craton/kernels/smoothing/gaussian_series.h"

#include <cmath>

namespace craton {
namespace {

constexpr double kCramer = 1.0865;

}  // namespace

double series_rest(std::size_t order, double cell) {
  const double r = cell / 2;
  double first = 1;  // r^p / sqrt(p!)
  for (std::size_t k = 1; k <= order; ++k) first *= r / std::sqrt(static_cast<double>(k));
  double sum = 1, term = 1;
  for (std::size_t b = 0; b < order; ++b) {
    sum += term;
    term *= r / static_cast<double>(b + 1) * std::sqrt(static_cast<double>(order + b + 1));
  }
  return kCramer * first * sum;
}

double series_terms(double cell) {
  double sum = 0, term = 1;
  for (int k = 1; k < 60; ++k) {
    sum += term;
    term *= cell / std::sqrt(k);
  }
  return kCramer * sum;
}

// By recursion, in more digits than are kept.
std::vector<double> gaussian_derivatives(long double u, std::size_t count) {
  std::vector<double> all(count);
  long double before = 0, now = std::exp(-u * u / 2);
  for (std::size_t n = 0; n < count; ++n) {
    all[n] = static_cast<double>(n % 2 == 0 ? now : -now);
    const long double next = u * now - static_cast<long double>(n) * before;
    before = now;
    now = next;
  }
  return all;
}

}  // namespace craton
