#include "craton/kernels/smoothing/gaussian_series.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace craton;

namespace {

// In one column; t and z about centres that lie `apart`.
long double series(std::size_t order, long double apart, long double t, long double z) {
  const std::vector<double> g = gaussian_derivatives(apart, 2 * order);
  long double sum = 0, power_t = 1;
  for (std::size_t a = 0; a < order; ++a) {
    long double power_z = 1;
    for (std::size_t b = 0; b < order; ++b) {
      sum += power_t * power_z * g[a + b];
      power_z *= -z / static_cast<long double>(b + 1);
    }
    power_t *= t / static_cast<long double>(a + 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("derivatives of a Gaussian are Hermite's polynomials") {
  for (const double u : {0.0, 0.3, 1.7, 6.0}) {
    const auto g = gaussian_derivatives(u, 40);
    const double e = std::exp(-u * u / 2);
    const double expected[] = {1, -u, u * u - 1, 3 * u - u * u * u, 3 - 6 * u * u + u * u * u * u};
    for (std::size_t n = 0; n < 5; ++n) {
      CHECK(g[n] == doctest::Approx(e * expected[n]).epsilon(1e-13));
    }
  }
  CHECK(gaussian_derivatives(0, 13)[12] == 10395);  // 11!!
}

TEST_CASE("what a series leaves out is within its bound, and not far below") {
  for (const std::size_t order : {8u, 12u, 20u}) {
    CAPTURE(order);
    for (const double cell : {0.6, 1.0, 1.5}) {
      CAPTURE(cell);
      const double bound = series_rest(order, cell);
      double nearest = 0;
      for (int apart = 0; apart < 8; ++apart) {
        const double least = std::max(0, apart - 1) * cell;
        const double fall = std::exp(-least * least / 4);
        for (int i = -8; i <= 8; ++i) {
          for (int k = -8; k <= 8; ++k) {
            const long double t = i * cell / 16, z = k * cell / 16;
            const long double u = apart * static_cast<long double>(cell) + t - z;
            const auto off = static_cast<double>(
                std::abs(series(order, apart * static_cast<long double>(cell), t, z) -
                         std::exp(-u * u / 2)));
            CHECK(off <= bound * fall + 1e-14);
            nearest = std::max(nearest, off / bound);
          }
        }
      }
      if (bound > 1e-12) CHECK(nearest > 0.015);
    }
  }
}

TEST_CASE("the bounds of a series are those of their formulas") {
  for (const int order : {8, 12, 20}) {
    for (const double cell : {0.5, 1.0, 2.0}) {
      const double r = cell / 2, root = std::sqrt(std::tgamma(order + 1.0));
      double sum = 1, terms = 0;
      for (int b = 0; b < order; ++b) {
        sum +=
            std::pow(r, b) / std::tgamma(b + 1.0) * std::sqrt(std::tgamma(order + b + 1.0)) / root;
      }
      for (int k = 0; k < 50; ++k) terms += std::pow(2 * r, k) / std::sqrt(std::tgamma(k + 1.0));
      const double expected = 1.0865 * std::pow(r, order) / root * sum;
      CHECK(series_rest(static_cast<std::size_t>(order), cell) == doctest::Approx(expected));
      CHECK(series_terms(cell) == doctest::Approx(1.0865 * terms));
    }
  }
}
