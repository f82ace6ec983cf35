#include "craton/kernels/exp_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "craton/base/random.h"

using namespace craton;

namespace {

// |a - b| in units of the last place of b, which has more digits than a.
double ulps(double a, long double b) {
  const double near = std::abs(static_cast<double>(b));
  const double unit = std::nextafter(near, INFINITY) - near;
  return static_cast<double>(std::abs(static_cast<long double>(a) - b)) / unit;
}

std::vector<double> spread(Index count, double low, double high, std::uint64_t seed) {
  std::vector<double> values(usize(count));
  Random random(seed, Purpose::kTest, 9);
  for (double& v : values) v = low + (high - low) * random.uniform();
  return values;
}

}  // namespace

TEST_CASE("exp is within one unit of the last place") {
  for (const double range : {1e-8, 1.0, 40.0, 700.0}) {
    const std::vector<double> x = spread(20'003, -range, range, 1);
    std::vector<double> y = x;
    exp_all(y);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, ulps(y[i], std::exp(static_cast<long double>(x[i]))));
    }
    CHECK(worst <= 1);
  }
  std::vector<double> ends{0, -0.0, -746, -1e5, -1e300};
  exp_all(ends);
  CHECK(ends == std::vector<double>{1, 1, 0, 0, 0});
}

TEST_CASE("log is within four units of the last place") {
  for (const double range : {1.0, 50.0, 700.0}) {
    std::vector<double> x = spread(20'003, -range, range, 2);
    for (double& v : x) v = std::exp(v);
    std::vector<double> y = x;
    log_all(y);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      worst = std::max(worst, ulps(y[i], std::log(static_cast<long double>(x[i]))));
    }
    CHECK(worst <= 4);
  }
}

TEST_CASE("log-sum-exp is the formula's, however large or small the terms") {
  for (const double offset : {0.0, 1e5, -1e5, 1e300}) {
    for (const Index size : {1, 2, 7, 8, 100}) {
      std::vector<double> x = spread(size, -30, 0, 3);
      long double sum = 0;
      for (double& v : x) sum += std::exp(static_cast<long double>(v)), v += offset;
      const double expected = static_cast<double>(offset + std::log(sum));
      CHECK(std::abs(log_sum_exp(x) - expected) <= 1e-15 * std::max(30.0, std::abs(expected)));
    }
  }
  const std::vector<double> one{-INFINITY, 3, -INFINITY}, none(5, -INFINITY);
  CHECK(log_sum_exp(one) == 3);
  CHECK(log_sum_exp(none) == -INFINITY);
  CHECK(log_sum_exp({}) == -INFINITY);
}

// Errors: 3 eps of the largest term in log_sum and entropy, 4 eps relative in the probabilities
// besides what rounding of the terms themselves brings.
TEST_CASE("softmax by columns is the formula's") {
  constexpr std::size_t kStride = 24;
  const double eps = std::numeric_limits<double>::epsilon();
  for (const std::size_t k : {1U, 2U, 3U, 17U}) {
    for (const double range : {1.0, 30.0, 2000.0}) {
      const std::vector<double> x = spread(static_cast<Index>(k * kStride), -range, 0, 4 + k);
      std::vector<double> a = x, log_sum(kStride), entropy(kStride);
      softmax_columns(a.data(), k, 16, kStride, log_sum.data(), entropy.data());
      for (std::size_t b = 0; b < 16; ++b) {
        long double top = -INFINITY, sum = 0, mean = 0;
        for (std::size_t c = 0; c < k; ++c) {
          top = std::max(top, static_cast<long double>(x[c * kStride + b]));
        }
        for (std::size_t c = 0; c < k; ++c) sum += std::exp(x[c * kStride + b] - top);
        for (std::size_t c = 0; c < k; ++c) {
          const long double shifted = x[c * kStride + b] - top, p = std::exp(shifted) / sum;
          mean += p * shifted;
          const double bound = 4 * eps * static_cast<double>(p * (1 - shifted)) + 1e-307;
          CHECK(std::abs(a[c * kStride + b] - static_cast<double>(p)) <= bound);
        }
        CHECK(std::abs(log_sum[b] - static_cast<double>(top + std::log(sum))) <=
              3 * eps * std::max(1.0, range));
        CHECK(std::abs(entropy[b] - static_cast<double>(std::log(sum) - mean)) <=
              8 * eps * std::max(1.0, std::log(static_cast<double>(k))));
      }
      for (std::size_t b = 16; b < kStride; ++b) CHECK(a[b] == x[b]);  // not its rows
    }
  }
}

TEST_CASE("a column without a finite maximum says so, and a term of -inf counts nothing") {
  std::vector<double> a(16, -INFINITY), log_sum(8), entropy(8);
  a[1] = 2;
  softmax_columns(a.data(), 2, 8, 8, log_sum.data(), entropy.data());
  CHECK(std::isnan(log_sum[0]));
  CHECK(log_sum[1] == 2);
  CHECK(entropy[1] == 0);
  CHECK(a[1] == 1);
  CHECK(a[9] == 0);
}
