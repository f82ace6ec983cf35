#include "craton/kernels/linear_scores.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/core/random.h"

namespace craton {
namespace {

TEST_CASE("scores of many classes equal the plain sum") {
  for (const Index stride : {4, 8, 20, 36, 100}) {
    Random random(static_cast<std::uint64_t>(stride), Purpose::kTest);
    std::vector<double> weights(usize(50 * stride)), out(usize(stride), 1), values;
    for (double& w : weights) w = random.normal();
    std::vector<std::int32_t> columns;
    for (std::int32_t j = 0; j < 50; j += 3) {
      columns.push_back(j);
      values.push_back(random.normal());
    }
    add_scores(values.data(), columns.data(), ssize(values), weights.data(), stride, out.data());
    for (Index c = 0; c < stride; ++c) {
      double sum = 1, size = 1;
      for (std::size_t e = 0; e < values.size(); ++e) {
        const double term = values[e] * weights[usize(columns[e] * stride + c)];
        sum += term;
        size += std::abs(term);
      }
      CHECK(std::abs(out[usize(c)] - sum) <= 1e-15 * size);
    }
  }
}

}  // namespace
}  // namespace craton
