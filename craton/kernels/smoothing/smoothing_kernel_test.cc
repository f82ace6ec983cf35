#include "craton/kernels/smoothing/smoothing_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

using namespace craton;

namespace {

constexpr double kPi = std::numbers::pi;

// As the header has them.
double profile(SmoothingKernel kernel, double u) {
  if (is_compact(kernel) && u >= 1) return 0;
  switch (kernel) {
    case SmoothingKernel::kGaussian:
      return std::exp(-u * u / 2);
    case SmoothingKernel::kTophat:
      return 1;
    case SmoothingKernel::kEpanechnikov:
      return 1 - u * u;
    case SmoothingKernel::kExponential:
      return std::exp(-u);
    case SmoothingKernel::kLinear:
      return 1 - u;
    case SmoothingKernel::kCosine:
      return std::cos(kPi * u / 2);
    case SmoothingKernel::kBiweight:
      return std::pow(1 - u * u, 2);
    case SmoothingKernel::kTriweight:
      return std::pow(1 - u * u, 3);
    case SmoothingKernel::kTricube:
      return std::pow(1 - u * u * u, 3);
    case SmoothingKernel::kLogistic:
      return 1 / std::pow(std::cosh(u / 2), 2);
  }
  return NAN;
}

// The integral of k(u) u^j by Simpson's rule, to about 1e-12.
double moment(SmoothingKernel kernel, int j) {
  const int steps = 200'000;
  const double end = is_compact(kernel) ? 1 : 120, step = end / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double u = std::min(i * step, is_compact(kernel) ? std::nextafter(1, 0) : end);
    sum += (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2) * profile(kernel, u) * std::pow(u, j);
  }
  return sum * step / 3;
}

template <class F>
void for_kernels(const F& f) {
  for (int i = 0; i < kSmoothingKernels; ++i) {
    CAPTURE(i);
    f(static_cast<SmoothingKernel>(i));
  }
}

}  // namespace

TEST_CASE("volumes and deviations of kernels are their integrals, in 1 to 10 columns") {
  for_kernels([](SmoothingKernel kernel) {
    for (const int d : {1, 2, 3, 4, 7, 10}) {
      CAPTURE(d);
      const double sphere = 2 * std::pow(kPi, d / 2.0) / std::tgamma(d / 2.0);
      const double of_u = moment(kernel, d - 1), of_square = moment(kernel, d + 1);
      CHECK(std::exp(log_volume(kernel, d)) == doctest::Approx(sphere * of_u).epsilon(1e-10));
      CHECK(kernel_deviation(kernel, d) ==
            doctest::Approx(std::sqrt(of_square / (d * of_u))).epsilon(1e-10));
    }
  });
}

TEST_CASE("kernels with a closed form have it") {
  const auto volume = [](SmoothingKernel kernel, Index d) {
    return std::exp(log_volume(kernel, d));
  };
  CHECK(volume(SmoothingKernel::kGaussian, 5) ==
        doctest::Approx(std::pow(2 * kPi, 2.5)).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kTophat, 1) == doctest::Approx(2).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kTophat, 3) == doctest::Approx(4 * kPi / 3).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kEpanechnikov, 1) == doctest::Approx(4.0 / 3).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kEpanechnikov, 2) == doctest::Approx(kPi / 2).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kTriweight, 1) == doctest::Approx(32.0 / 35).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kTricube, 1) == doctest::Approx(81.0 / 70).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kCosine, 1) == doctest::Approx(4 / kPi).epsilon(1e-14));
  CHECK(volume(SmoothingKernel::kLogistic, 1) == doctest::Approx(4).epsilon(1e-14));
  CHECK(kernel_deviation(SmoothingKernel::kEpanechnikov, 1) == doctest::Approx(std::sqrt(0.2)));
  CHECK(kernel_deviation(SmoothingKernel::kLogistic, 1) == doctest::Approx(kPi / std::sqrt(3)));
  CHECK(std::isfinite(log_volume(SmoothingKernel::kCosine, 5000)));
  CHECK(std::isfinite(log_volume(SmoothingKernel::kLogistic, 5000)));
}

TEST_CASE("tails of kernels of one column are what their profiles leave") {
  for_kernels([](SmoothingKernel kernel) {
    const double all = std::exp(log_volume(kernel, 1));
    for (const double from : {0.0, 0.2, 0.6, 0.95}) {
      const int steps = 20'000;
      const double end = is_compact(kernel) ? 1 : 45, step = (end - from) / steps;
      double sum = 0;
      for (int i = 0; i < steps; ++i) sum += profile(kernel, from + (i + 0.5) * step) * step;
      CHECK(kernel_tail(kernel, from) == doctest::Approx(sum / all).epsilon(1e-5));
    }
    CHECK(kernel_tail(kernel, 0) == doctest::Approx(0.5).epsilon(1e-13));
  });
}

// Kolmogorov's distance of 20 000 draws exceeds 1.95 / sqrt(20 000) once in a thousand samples.
TEST_CASE("draws of kernels have the radii of their profiles and no direction") {
  constexpr int kDraws = 20'000;
  for_kernels([&](SmoothingKernel kernel) {
    for (const Index d : {1, 2, 5}) {
      CAPTURE(d);
      std::vector<double> radii, x(usize(d)), sum(usize(d));
      for (int i = 0; i < kDraws; ++i) {
        Random random(1, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
        draw_kernel(kernel, d, random, x.data());
        double square = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          square += x[j] * x[j];
          sum[j] += x[j];
        }
        radii.push_back(std::sqrt(square));
      }
      std::sort(radii.begin(), radii.end());
      const double half = static_cast<double>(d) / 2;
      const double all =
          std::exp(log_volume(kernel, d)) * std::tgamma(half) / (2 * std::pow(kPi, half));
      double cdf = 0, from = 0, worst = 0;  // by the trapezoidal rule from draw to draw
      for (int i = 0; i < kDraws; ++i) {
        const double to = radii[static_cast<std::size_t>(i)];
        for (int s = 0; s < 4; ++s) {
          const double a = from + (to - from) * s / 4, b = from + (to - from) * (s + 1) / 4;
          cdf +=
              (profile(kernel, a) * std::pow(a, d - 1) + profile(kernel, b) * std::pow(b, d - 1)) *
              (b - a) / 2 / all;
        }
        worst = std::max(worst, std::abs(cdf - (i + 0.5) / kDraws));
        from = to;
      }
      CHECK(worst < 1.95 / std::sqrt(kDraws));
      for (const double s : sum) {
        CHECK(std::abs(s) < 4 * kernel_deviation(kernel, d) * std::sqrt(kDraws));
      }
    }
  });
}
