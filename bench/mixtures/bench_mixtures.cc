#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/mixtures/fused.h"
#include "craton/base/random.h"
#include "craton/classes/product/product_em.h"

// One step of EM, E and M, by the program over blocks and by a kernel written for one shape; in
// turns, one thread, the least of many. Prints a line of JSON for each shape.

namespace {

using namespace craton;

double now() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(t).count();
}

void compare(Index n, Index d, Index k, int turns) {
  bench::Gaussians start{
      usize(k), usize(d), std::vector<double>(usize(k), 1.0 / static_cast<double>(k)), {}, {}};
  Random random(1, Purpose::kTest);
  std::vector<double> centres;
  for (Index i = 0; i < k * d; ++i) {
    centres.push_back(3 * random.normal());
    start.mean.push_back(centres.back() + 0.2 * random.normal());
    start.variance.push_back(1);
  }
  Array x{{n, d}, {}};
  for (Index i = 0; i < n; ++i) {
    const Index c = random.below(k);
    for (Index j = 0; j < d; ++j) x.values.push_back(centres[usize(c * d + j)] + random.normal());
  }
  std::vector<Feature> features;
  std::vector<Parameters> parameters;
  for (Index j = 0; j < d; ++j) {
    features.push_back({.column = j, .family = &get_family("gaussian")});
    for (Index c = 0; c < k; ++c) parameters.push_back({start.mean[usize(c * d + j)], 1});
  }
  const ClassProduct begin({{k}, std::vector<double>(usize(k), -std::log(static_cast<double>(k)))},
                           features, parameters);
  MemorySource rows({.x = x.view()}, numbered_schema(d));
  const Exec exec{.threads = 1};
  const ProductEstimator estimator(features, column_statistics(rows, features, {}, exec),
                                   {.prior_rows = 0, .var_smoothing = 0}, {});
  double program = INFINITY, fused = INFINITY, gap = 0;
  for (int turn = 0; turn < turns; ++turn) {
    double t = now();
    const ProductRows seen = fold(rows, ProductRows(begin, {}, 0), exec);
    const ClassProduct next = estimator.estimate(seen.sums().statistics());
    program = std::min(program, now() - t);
    t = now();
    const bench::Sums sums = bench::fused_e_step(x.values.data(), usize(n), start);
    const bench::Gaussians other = bench::fused_m_step(sums, usize(d));
    fused = std::min(fused, now() - t);
    gap = std::abs(seen.objective() - sums.log_likelihood / static_cast<double>(n));
    for (Index c = 0; c < k; ++c) {
      for (Index j = 0; j < d; ++j) {
        gap = std::max(gap, std::abs(next.of(j, c)[1] - other.variance[usize(c * d + j)]));
      }
    }
  }
  fmt::print(
      "{{\"columns\": {}, \"components\": {}, \"rows\": {}, \"program_ms\": {:.3f}, "
      "\"fused_ms\": {:.3f}, \"ratio\": {:.3f}, \"largest_gap\": {:.1e}}}\n",
      d, k, n, 1e3 * program, 1e3 * fused, program / fused, gap);
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 25;
  compare(200'000, 2, 3, turns);
  compare(200'000, 8, 8, turns);
  compare(200'000, 16, 8, turns);
}
