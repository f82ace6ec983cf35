#include "craton/kernels/smoothing/line_decays.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/kernel_problems.h"

using namespace craton;

TEST_CASE("exponential sums are those of the points, far from them too") {
  for (std::uint64_t number = 0; number < 200; ++number) {
    CAPTURE(number);
    KernelProblem p = kernel_problem(number, 1, 2000);
    p.kernel = SmoothingKernel::kExponential;
    const LineDecays decays(p.bandwidths[0], p.points, p.weights);
    p.queries.push_back(p.points[0] - 1e5 * p.bandwidths[0]);
    for (const double& x : p.queries) {
      const long double expected = exact_log_sum(p, &x);
      const double log_sum = decays.log_sum(x, p.points, p.weights);
      CHECK(std::abs(static_cast<double>(log_sum - expected)) <
            1e-12 + 1e-15 * std::abs(static_cast<double>(expected)));
    }
  }
}
