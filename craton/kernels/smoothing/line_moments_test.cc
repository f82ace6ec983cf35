#include "craton/kernels/smoothing/line_moments.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/kernel_problems.h"

using namespace craton;

TEST_CASE("no bound of a sum of moments is broken, and where points are many it is near rounding") {
  Index near = 0, all = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    CAPTURE(number);
    KernelProblem p = kernel_problem(number, 1, 2000);
    if (!is_compact(p.kernel)) continue;
    CAPTURE(static_cast<int>(p.kernel));
    const LineMoments moments(p.kernel, p.bandwidths[0], p.points, p.weights);
    for (const double& x : p.queries) {
      const auto sum = moments.at(x, p.points, p.weights);
      REQUIRE(sum);
      const long double expected = std::exp(exact_log_sum(p, &x));
      CHECK(std::abs(static_cast<double>(sum->value - expected)) <= sum->error);
      all += expected > 1 ? 1 : 0;
      near += expected > 1 && sum->error < 1e-10 * sum->value ? 1 : 0;
    }
  }
  CHECK(all > 500);
  CHECK(near > all * 99 / 100);
}

TEST_CASE("ends of ranges that are multiples of 16 lose no point") {
  std::vector<double> y, w;
  for (int i = 0; i < 64; ++i) {
    y.push_back(i);
    w.push_back(1 + i % 3);
  }
  const LineMoments moments(SmoothingKernel::kTophat, 16, y, w);
  for (double x = -20; x < 90; x += 0.5) {
    double expected = 0;
    for (std::size_t i = 0; i < y.size(); ++i) expected += std::abs(x - y[i]) < 16 ? w[i] : 0;
    CHECK(moments.at(x, y, w)->value == expected);
  }
}
