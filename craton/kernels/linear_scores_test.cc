#include "craton/kernels/linear_scores.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

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
    add_scores(values.data(), columns.data(), ssize(values), ssize(values), weights.data(), stride,
               out.data());
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

TEST_CASE(
    "scores of dense rows about a centre are those of a plain loop, for any number of classes") {
  for (const Index classes : {1, 3, 4, 9, 12, 13, 30}) {
    for (const Index n : {1, 4, 5, 7, 8, 9, 13}) {
      constexpr Index kColumns = 5;
      const Index stride = padded_classes(classes);
      Random random(3, Purpose::kTest);
      std::vector<double> x(usize(n * kColumns)), weights(usize(stride * kColumns));
      std::vector<double> centre(kColumns), start(usize(stride)), out(usize(n * classes));
      for (auto* v : {&x, &weights, &centre, &start}) {
        for (double& value : *v) value = random.normal();
      }
      centred_scores(Dense<double>{x.data(), n, kColumns, kColumns}, centre.data(), weights.data(),
                     start.data(), classes, out.data());
      for (Index at = 0; at < n * classes; ++at) {
        const Index i = at / classes, c = at % classes;
        double sum = start[usize(c)];
        for (Index j = 0; j < kColumns; ++j) {
          sum += (x[usize(i * kColumns + j)] - centre[usize(j)]) * weights[usize(j * stride + c)];
        }
        CHECK(std::abs(out[usize(at)] - sum) <= 1e-14 * 20);
      }
    }
  }
}

}  // namespace
}  // namespace craton
