#include "craton/density/line_distribution.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace craton::line_distribution_test {

namespace {

Points normal_points(Index n, double offset) {
  Points points{1, {}, {}};
  for (Index i = 0; i < n; ++i) {
    Random random(3, Purpose::kTest, 0, static_cast<std::uint64_t>(i));
    points.rows.push_back(offset + random.normal());
    points.weights.push_back(0.5 + random.uniform());
  }
  std::sort(points.rows.begin(), points.rows.end());
  return points;
}

// One point after the other.
long double plain_cdf(SmoothingKernel kernel, double h, const Points& points, double x,
                      bool above) {
  long double sum = 0, weight = 0;
  for (std::size_t i = 0; i < points.rows.size(); ++i) {
    const double u = (x - points.rows[i]) / h;
    const long double tail = kernel_tail(kernel, std::abs(u));
    sum += points.weights[i] * ((u < 0) == above ? 1 - tail : tail);
    weight += points.weights[i];
  }
  return sum / weight;
}

}  // namespace

TEST_CASE("sums by cells are those of the points, on both sides and in the tails") {
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    for (const double h : {0.01, 0.3, 5.0}) {
      CAPTURE(h);
      const Points points = normal_points(3000, 1e3);
      const LineDistribution line(kernel, h, points);
      for (const double x : {900.0, 996.5, 998.2, 999.99, 1000.3, 1003.1, 1010.0}) {
        CAPTURE(x);
        const LineDistribution::Sides found = line.at(x);
        CHECK(found.below ==
              doctest::Approx(static_cast<double>(plain_cdf(kernel, h, points, x, false)))
                  .epsilon(1e-11));
        CHECK(found.above ==
              doctest::Approx(static_cast<double>(plain_cdf(kernel, h, points, x, true)))
                  .epsilon(1e-11));
        const double step = h * 1e-4;
        const double rise = line.at(x + step).below - line.at(x - step).below;
        if (found.below > 1e-3 && kernel != SmoothingKernel::kTophat) {
          CHECK(found.slope == doctest::Approx(rise / 2e-4).epsilon(1e-3));
        }
      }
    }
  }
}

TEST_CASE("quantiles are the inverse, for every kernel and between groups") {
  Points points = normal_points(2000, 0);
  for (std::size_t i = 1000; i < 2000; ++i) points.rows[i] += 50;
  for (int number = 0; number < kSmoothingKernels; ++number) {
    CAPTURE(number);
    const auto kernel = static_cast<SmoothingKernel>(number);
    const LineDistribution line(kernel, 0.2, points);
    double before = -INFINITY;
    for (const double p : {1e-300, 1e-12, 0.01, 0.3, 0.499, 0.5, 0.501, 0.99, 1 - 1e-12}) {
      CAPTURE(p);
      const double x = line.quantile(p);
      CHECK(line.cdf(x) == doctest::Approx(p).epsilon(1e-12));
      CHECK(x >= before);
      before = x;
    }
  }
}

TEST_CASE("a line too long for cells is summed point by point") {
  const Points points{1, {-1e17, 0, 1, 1e17}, std::vector<double>{1, 1, 1, 1}};
  const LineDistribution line(SmoothingKernel::kGaussian, 0.5, points);
  CHECK(line.cdf(0.5) == doctest::Approx(0.5));
  CHECK(line.cdf(line.quantile(0.4)) == doctest::Approx(0.4));
}

}  // namespace craton::line_distribution_test
