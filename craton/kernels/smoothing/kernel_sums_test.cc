#include "craton/kernels/smoothing/kernel_sums.h"

#include <doctest/doctest.h>

#include "tests/each_target.h"
#include "tests/kernel_problems.h"

using namespace craton;
using namespace craton::kernel_test;

TEST_CASE("no bound of a sum of kernels is broken, and tails keep their logarithm") {
  for_each_target([] {
    constexpr double kTolerance = 1e-8;
    Index zero = 0, tails = 0;
    for (std::uint64_t number = 0; number < 1000; ++number) {
      CAPTURE(number);
      const KernelProblem p = kernel_problem(number, 6, 400);
      const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
      for (Index q = 0; q < std::ssize(p.queries) / p.columns; ++q) {
        CAPTURE(q);
        const double* const x = &p.queries[usize(q * p.columns)];
        const KernelSum found = sums.at(x, kTolerance);
        const long double expected = exact_log_sum(p, x);
        if (expected == -INFINITY || found.log_sum == -INFINITY) {
          CHECK(found.log_sum == static_cast<double>(expected));
          ++zero;
          continue;
        }
        const double off = static_cast<double>(std::expm1(found.log_sum - expected));
        CHECK(std::abs(off) <= found.error);
        CHECK(found.error <= kTolerance);
        tails += expected < -500 ? 1 : 0;
      }
    }
    CHECK(zero > 100);
    CHECK(tails > 50);
  });
}

TEST_CASE("no bound is broken on lines of many points") {
  for (std::uint64_t number = 5000; number < 5150; ++number) {
    CAPTURE(number);
    const KernelProblem p = kernel_problem(number, 1, 4000);
    CAPTURE(static_cast<int>(p.kernel));
    const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
    for (const double& x : p.queries) {
      const KernelSum found = sums.at(&x, 1e-8);
      const long double expected = exact_log_sum(p, &x);
      if (expected == -INFINITY || found.log_sum == -INFINITY) {
        CHECK(found.log_sum == static_cast<double>(expected));
        continue;
      }
      CHECK(std::abs(static_cast<double>(std::expm1(found.log_sum - expected))) <= found.error);
      CHECK(found.error <= 1e-8);
    }
  }
}

TEST_CASE("a sum at a point beyond all numbers is 0, or not known") {
  const std::vector<double> points{0, 1, 2}, weights{1, 1, 1}, h{1};
  const Dense<double> view{points.data(), 3, 1, 1};
  const double far = 1e200;
  CHECK(KernelSums(SmoothingKernel::kLinear, h, view, weights).at(&far, 1e-8).log_sum == -INFINITY);
  CHECK(KernelSums(SmoothingKernel::kLinear, h, view, weights).at(&far, 1e-8).error == 0);
  CHECK(KernelSums(SmoothingKernel::kGaussian, h, view, weights).at(&far, 1e-8).error == INFINITY);
}
