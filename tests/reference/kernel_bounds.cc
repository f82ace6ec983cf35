#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "craton/kernels/smoothing/kernel_sums.h"
#include "tests/kernel_problems.h"

// kernel_bounds [PROBLEMS]: random problems of up to 5000 points in one to six columns, against
// sums in extended precision. Prints how many sums there were and the largest ratio of a true error
// to its proved bound, by kernel; fails if one is above 1, or a bound is above the tolerance.

using namespace craton;

int main(int argc, char** argv) {
  const std::uint64_t problems = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  struct Row {
    Index sums = 0, zeros = 0, tails = 0, broken = 0, wide = 0;
    double largest = 0;
  };
  std::map<int, Row> rows;
  Row all;
  for (std::uint64_t number = 0; number < problems; ++number) {
    const KernelProblem p = kernel_problem(20000 + number, 6, 5000, 2);
    const KernelSums sums(p.kernel, p.bandwidths, p.view(), p.weights);
    Row& row = rows[static_cast<int>(p.kernel)];
    for (Index q = 0; q < std::ssize(p.queries) / p.columns; ++q) {
      const double* const x = &p.queries[usize(q * p.columns)];
      const long double expected = exact_log_sum(p, x);
      for (const double rtol : {1e-11, 1e-8, 1e-4, 1e-2, 0.5}) {
        const KernelSum found = sums.at(x, rtol);
        for (Row* const r : {&row, &all}) {
          ++r->sums;
          r->wide += found.error <= rtol ? 0 : 1;
          if (expected == -INFINITY || found.log_sum == -INFINITY) {
            ++r->zeros;
            r->broken += found.log_sum == static_cast<double>(expected) ? 0 : 1;
            continue;
          }
          const double off = std::abs(static_cast<double>(std::expm1(found.log_sum - expected)));
          r->tails += expected < -500 ? 1 : 0;
          r->broken += off <= found.error ? 0 : 1;
          if (found.error > 0) r->largest = std::max(r->largest, off / found.error);
        }
      }
    }
  }
  const auto print = [](const std::string& name, const Row& r) {
    fmt::print(
        "{:>8} {:>7} sums, {:>6} of them 0, {:>5} below e^-500; largest ratio {:.4f}, {} bounds "
        "broken, {} above the tolerance\n",
        name, r.sums, r.zeros, r.tails, r.largest, r.broken, r.wide);
  };
  for (const auto& [kernel, row] : rows) print(fmt::format("kernel {}", kernel), row);
  print(fmt::format("{} problems", problems), all);
  return all.broken == 0 ? 0 : 1;
}
