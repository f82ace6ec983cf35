#include "craton/kernels/smoothing/kernel_sums.h"

#include <doctest/doctest.h>

#include <algorithm>

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

TEST_CASE("no bound is broken by trees of many points, at any tolerance") {
  double largest = 0;
  for (std::uint64_t number = 9000; number < 9150; ++number) {
    CAPTURE(number);
    const KernelProblem p = kernel_problem(number, 9, 3000, 1);
    if (p.columns == 1) continue;
    CAPTURE(static_cast<int>(p.kernel));
    CAPTURE(p.columns);
    const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
    for (Index q = 0; q < 3; ++q) {
      const double* const x = &p.queries[usize(q * p.columns)];
      const long double expected = exact_log_sum(p, x);
      for_each_target([&] {
        for (const double rtol : {1e-12, 1e-8, 1e-5, 1e-2, 0.3}) {
          const KernelSum found = sums.at(x, rtol);
          if (expected == -INFINITY || found.log_sum == -INFINITY) {
            CHECK(found.log_sum == static_cast<double>(expected));
            continue;
          }
          const double off = std::abs(static_cast<double>(std::expm1(found.log_sum - expected)));
          CHECK(off <= found.error);
          if (rtol > 1e-12) CHECK(found.error <= rtol);
          if (rtol > 1e-6) largest = std::max(largest, off / found.error);
        }
      });
    }
  }
  CHECK(largest > 0.9);  // or the bounds are much too wide
}

TEST_CASE("a sum by the first columns is that of a table of these") {
  for (std::uint64_t number = 9300; number < 9340; ++number) {
    CAPTURE(number);
    const KernelProblem p = kernel_problem(number, 5, 1000, 1);
    const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
    for (Index first = 1; first < p.columns; ++first) {
      KernelProblem less = p;
      less.columns = first;
      less.bandwidths.resize(usize(first));
      less.points.clear();
      for (Index i = 0; i < p.size(); ++i) {
        less.points.insert(less.points.end(), p.view().row(i), p.view().row(i) + first);
      }
      for (Index q = 0; q < 3; ++q) {
        const double* const x = &p.queries[usize(q * p.columns)];
        const KernelSum found = sums.at(x, 1e-8, first);
        const long double expected = exact_log_sum(less, x);
        if (expected == -INFINITY || found.log_sum == -INFINITY) {
          CHECK(found.log_sum == static_cast<double>(expected));
          continue;
        }
        CHECK(std::abs(static_cast<double>(std::expm1(found.log_sum - expected))) <= found.error);
        CHECK(found.error <= 1e-8);
      }
    }
  }
}

TEST_CASE("a sum at a point beyond all numbers is 0, or not known") {
  const std::vector<double> weights{1, 1, 1}, points{0, 1, 2, 3, 4, 5};
  for (const Index columns : {1, 2}) {
    CAPTURE(columns);
    const std::vector<double> h(usize(columns), 1.0), far(usize(columns), 1e200);
    const Dense<double> view{points.data(), 3, columns, columns};
    const KernelSum none = KernelSums(SmoothingKernel::kLinear, h, view, weights).at(&far[0], 1e-8);
    CHECK(none.log_sum == -INFINITY);
    CHECK(none.error == 0);
    const KernelSums endless(SmoothingKernel::kGaussian, h, view, weights);
    CHECK(endless.at(&far[0], 1e-8).error == INFINITY);
  }
}

TEST_CASE("bandwidths and spreads at the ends of what doubles hold leave sums right") {
  const Index n = 200;
  for (const double scale : {1e-115, 1.0, 1e115}) {
    for (const double narrow : {1e-120, 1.0, 1e3}) {
      CAPTURE(scale);
      CAPTURE(narrow);
      Random random(3, Purpose::kTest, 12);
      KernelProblem p{SmoothingKernel::kGaussian, 2, {scale, scale * narrow}, {}, {}, {}};
      for (Index i = 0; i < 2 * n; ++i) p.points.push_back(scale * random.normal());
      p.weights.assign(usize(n), 1e47);
      sort_points(p);
      const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
      for (Index i = 0; i < n; i += 20) {
        const double* const x = p.view().row(i);
        const KernelSum found = sums.at(x, 1e-8);
        const long double expected = exact_log_sum(p, x);
        CHECK(std::abs(static_cast<double>(std::expm1(found.log_sum - expected))) <= found.error);
        CHECK(found.error <= 1e-8);
      }
    }
  }
}
