#include "craton/kernels/exact_sums.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"

using namespace craton;

namespace {

constexpr Index kRows = 300, kClusters = 3;

// Rows and columns of very different scales, and weights.
struct Data {
  explicit Data(Index d) : columns(d), origin(usize(d)), most(usize(d + 1)) {
    Random random(1, Purpose::kTest);
    for (Index j = 0; j < d; ++j) origin[usize(j)] = random.normal() * 1e-8;
    for (Index i = 0; i < kRows; ++i) {
      labels.push_back(static_cast<std::int32_t>(random.uniform() * kClusters));
      weights.push_back(random.uniform() + 0.1);
      most.back() += weights.back();
      const double scale = std::exp(-30 * random.uniform());
      for (Index j = 0; j < d; ++j) {
        x.push_back(static_cast<float>(random.normal() * std::pow(10.0, j % 9) * scale));
        most[usize(j)] += weights.back() * std::abs(double{x.back()} - origin[usize(j)]);
      }
    }
  }
  void add(Index first, Index last, double sign, ExactSums& to) const {
    for (Index i = first; i < last; ++i) {
      const float* row = &x[usize(i * columns)];
      const double weight = sign * weights[usize(i)];
      to.add(std::span<const float* const>(&row, 1), &labels[usize(i)], {&weight, 1});
    }
  }
  ExactSums empty() const { return {kClusters, origin, most, kRows}; }

  Index columns;
  std::vector<double> origin, most, weights;
  std::vector<float> x;
  std::vector<std::int32_t> labels;
};

bool same(const ExactSums& a, const ExactSums& b) {
  Writer left, right;
  a.write(left);
  b.write(right);
  return std::ranges::equal(left.bytes(), right.bytes());
}

}  // namespace

TEST_CASE("the sums are those of long double, to the last bits") {
  for (const Index d : {1, 4, 7, 300}) {
    const Data data(d);
    ExactSums sums = data.empty();
    data.add(0, kRows, 1, sums);
    for (std::size_t c = 0; c < kClusters; ++c) {
      for (std::size_t j = 0; j < usize(d); ++j) {
        long double sum = 0, weight = 0, size = 0;
        for (std::size_t i = 0; i < kRows; ++i) {
          if (usize(data.labels[i]) != c) continue;
          const double v = double{data.x[i * usize(d) + j]} - data.origin[j];
          sum += data.weights[i] * v;
          size += std::abs(data.weights[i] * v);
          weight += data.weights[i];
        }
        const ExactSums none = sums.zero();
        CHECK(std::abs(sums.sum(none, c, j) - static_cast<double>(sum)) <=
              0x1p-52 * static_cast<double>(size));
        CHECK(sums.weight(none, c) == doctest::Approx(static_cast<double>(weight)).epsilon(1e-15));
      }
    }
  }
}

TEST_CASE("any order has the same bits, and rows can be taken out again") {
  const Data data(37);
  ExactSums forwards = data.empty(), halves = data.empty(), second = data.empty();
  data.add(0, kRows, 1, forwards);
  data.add(100, kRows, 1, halves);
  data.add(0, 100, 1, second);
  halves.merge(second);
  CHECK(same(forwards, halves));
  data.add(0, 100, -1, forwards);
  ExactSums rest = data.empty();
  data.add(100, kRows, 1, rest);
  CHECK(same(forwards, rest));
}

TEST_CASE("sparse rows are added as dense ones about 0") {
  Data data(12);
  std::fill(data.origin.begin(), data.origin.end(), 0.0);
  const float values[] = {1.5F, -3};
  const std::int32_t columns[] = {2, 9}, label = 1;
  const double weight = 0.3;
  ExactSums sparse = data.empty(), dense = data.empty();
  const RowEntries<float> entries{columns, values, 2};
  sparse.add(std::span(&entries, 1), &label, {&weight, 1});
  std::vector<float> row(12);
  row[2] = values[0];
  row[9] = values[1];
  const float* pointer = row.data();
  dense.add(std::span<const float* const>(&pointer, 1), &label, {&weight, 1});
  CHECK(same(sparse, dense));
}
