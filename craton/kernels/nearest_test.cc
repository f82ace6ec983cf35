#include "craton/kernels/nearest.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "craton/base/random.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/nearness.h"

namespace craton::nearest_test {

namespace {

struct Nearest {
  std::vector<std::int32_t> labels;
  std::vector<double> own, others;  // distances: from the nearest, from the second
  bool operator==(const Nearest&) const = default;
};

template <class T>
Nearest find(const Array& centres, const std::vector<T>& x) {
  const Index d = centres.cols(), n = std::ssize(x) / d;
  std::vector<const T*> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(&x[usize(i * d)]);
  Nearest result{std::vector<std::int32_t>(usize(n)), {}, std::vector<double>(usize(n))};
  std::vector<Reach> reach(usize(n));
  NearestCentres(centres).find(rows, result.labels.data(), reach.data());
  for (std::size_t i = 0; i < reach.size(); ++i) {
    result.own.push_back(reach[i].own);
    result.others[i] = reach[i].other;
  }
  return result;
}

// All distances, directly.
template <class T>
Nearest reference(const Array& centres, const std::vector<T>& x) {
  const Index d = centres.cols();
  Nearest result;
  for (std::size_t i = 0; i < x.size(); i += usize(d)) {
    std::vector<double> squared(usize(centres.rows()));
    squared_distances(&x[i], centres.values.data(), centres.rows(), d, squared.data());
    const auto best = std::min_element(squared.begin(), squared.end());
    result.labels.push_back(static_cast<std::int32_t>(best - squared.begin()));
    result.own.push_back(std::sqrt(*best));
    *best = INFINITY;
    result.others.push_back(std::sqrt(*std::min_element(squared.begin(), squared.end())));
  }
  return result;
}

std::vector<double> normals(Index size, std::uint64_t seed, double scale = 1, double offset = 0) {
  Random random(seed, Purpose::kTest);
  std::vector<double> x(usize(size));
  for (double& v : x) v = offset + scale * random.normal();
  return x;
}

// The labels of the reference; and bounds above its first and below its second distances, by no
// more than `slack` relative to the largest distance.
template <class T>
void check_against_reference(const Array& centres, const std::vector<double>& values,
                             double slack) {
  const std::vector<T> x(values.begin(), values.end());
  const Nearest found = find(centres, x), expected = reference(centres, x);
  CHECK(found.labels == expected.labels);
  double largest = 0;
  for (const double v : expected.others) largest = std::max(largest, std::isinf(v) ? 0 : v);
  for (const double v : expected.own) largest = std::max(largest, v);
  for (std::size_t i = 0; i < found.others.size(); ++i) {
    CHECK(found.own[i] >= expected.own[i]);
    CHECK(found.own[i] <= expected.own[i] + slack * largest);
    CHECK(found.others[i] <= expected.others[i]);
    if (std::isfinite(expected.others[i])) {
      CHECK(found.others[i] >= expected.others[i] - slack * largest);
    }
  }
}

}  // namespace

TEST_CASE("the nearest centre is that of the scalar loop, for every shape of panel and tile") {
  for (const Index k : {1, 2, 4, 5, 8, 9, 10, 16, 17, 24, 33, 64}) {
    for (const Index d : {1, 3, 8, 21}) {
      CAPTURE(k);
      CAPTURE(d);
      const Array centres{{k, d}, normals(k * d, 1)};
      const std::vector<double> x = normals(37 * d, 2);
      check_against_reference<float>(centres, x, 1e-2);
      check_against_reference<double>(centres, x, 1e-2);
    }
  }
}

TEST_CASE("many rows of many columns, in several blocks") {
  const Array centres{{20, 300}, normals(20 * 300, 3)};
  const std::vector<double> x = normals(200 * 300, 4);
  check_against_reference<float>(centres, x, 1e-2);
  check_against_reference<double>(centres, x, 1e-2);
}

// Float keeps 7 digits: about 3000 the two centres of a group differ in the last ones of |c|^2.
TEST_CASE("near ties are decided as in double") {
  constexpr Index kColumns = 7;
  Array centres{{4, kColumns}, {}};
  std::vector<double> x;
  for (std::uint64_t c = 0; c < 4; ++c) {
    Random random(5, Purpose::kTest, 0, c);
    for (Index j = 0; j < kColumns; ++j) {
      centres.values.push_back((c % 2 == 0 ? 3000 : -3000) + 0.5 * random.normal());
    }
  }
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Random random(6, Purpose::kTest, 0, i);
    for (Index j = 0; j < kColumns; ++j) {
      x.push_back(static_cast<float>((i % 2 == 0 ? 3000 : -3000) + 0.5 * random.normal()));
    }
  }
  const Nearest expected = reference(centres, x);
  CHECK(find(centres, x).labels == expected.labels);
  CHECK(find(centres, std::vector<float>(x.begin(), x.end())).labels == expected.labels);
}

TEST_CASE("ties go to the lower centre") {
  const Array centres{{4, 1}, {1, -1, 1, -1}};
  for (const std::int32_t label : find<double>(centres, {0, 0.5, 2}).labels) CHECK(label == 0);
  CHECK(find<float>(centres, {-3}).labels[0] == 1);
  const Array grid{{9, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 2, 0, 2, 1, 2, 2}};
  CHECK(find<float>(grid, {0.5, 0.5, 1.5, 1.5, 0.5, 1}).labels ==
        std::vector<std::int32_t>{0, 4, 1});
}

TEST_CASE("the size of the numbers does not matter") {
  for (const double scale : {1e-115, 1e-30, 1e30, 1e115}) {
    CAPTURE(scale);
    const Array centres{{10, 3}, normals(30, 6, scale)};
    check_against_reference<double>(centres, normals(300, 7, scale), 1e-2);
    if (scale > 1e-38 && scale < 1e38) {
      check_against_reference<float>(centres, normals(300, 7, scale), 1e-2);
    }
  }
  const Array far{{10, 3}, normals(30, 8, 1, 1e8)};
  check_against_reference<double>(far, normals(300, 9, 1, 1e8), 1e-2);
}

TEST_CASE("a row so far away that squares overflow has no nearest centre") {
  const Array centres{{2, 1}, {0, 1}};
  CHECK(find<double>(centres, {1e200, 0.9}).labels == std::vector<std::int32_t>{-1, 1});
  CHECK(find<float>(centres, {3e38F, 0.9F}).labels == std::vector<std::int32_t>{0, 1});  // a tie
}

namespace {

// Every row against the parts that cannot be ruled out, and some more.
template <class T>
void check_parts(const Array& centres, Index parts, const std::vector<double>& values) {
  const Index d = centres.cols(), n = std::ssize(values) / d;
  const std::vector<T> x(values.begin(), values.end());
  const NearestCentres nearest(centres, parts);
  REQUIRE(nearest.parts() == parts);
  const std::vector<std::int32_t> part_of = nearest.part_of_centres();
  const Nearest expected = reference(centres, x);
  std::vector<const T*> rows;
  std::vector<std::uint64_t> wanted;
  for (Index i = 0; i < n; ++i) {
    rows.push_back(&x[usize(i * d)]);
    const auto own = usize(part_of[usize(expected.labels[usize(i)])]);
    wanted.push_back(std::uint64_t{1} << own | std::uint64_t(i * 7) % (std::uint64_t{1} << parts));
  }
  std::vector<std::int32_t> labels(usize(n));
  std::vector<Reach> reach(usize(n));
  std::vector<double> others(usize(n * parts), -1), squared(usize(centres.rows()));
  nearest.find_among(rows, wanted, labels.data(), reach.data(), others.data());
  CHECK(labels == expected.labels);
  for (Index i = 0; i < n; ++i) {
    CHECK(reach[usize(i)].own >= expected.own[usize(i)]);
    CHECK(reach[usize(i)].own <= expected.own[usize(i)] * 1.01);
    squared_distances(rows[usize(i)], centres.values.data(), centres.rows(), d, squared.data());
    for (Index p = 0; p < parts; ++p) {
      if ((wanted[usize(i)] >> p & 1) == 0) continue;
      double least = INFINITY;
      for (Index c = 0; c < centres.rows(); ++c) {
        if (part_of[usize(c)] == p && c != labels[usize(i)]) {
          least = std::min(least, std::sqrt(squared[usize(c)]));
        }
      }
      CHECK(others[usize(i * parts + p)] <= least);
      CHECK(others[usize(i * parts + p)] >= least * 0.99);
    }
  }
}

}  // namespace

TEST_CASE("some parts of the centres are enough for rows that lie nearest to one of them") {
  for (const auto& [k, d, parts] :
       std::vector<std::array<Index, 3>>{{30, 4, 2}, {70, 33, 4}, {100, 40, 6}, {256, 3, 16}}) {
    CAPTURE(k);
    for (const double offset : {0.0, 50.0}) {
      const Array centres{{k, d}, normals(k * d, 10, 1, offset)};
      check_parts<float>(centres, parts, normals(100 * d, 11, 1, offset));
      check_parts<double>(centres, parts, normals(100 * d, 11, 1, offset));
    }
  }
}

TEST_CASE("equal centres in several parts: the lower wins") {
  Array centres{{48, 2}, {}};
  for (int c = 0; c < 48; ++c) centres.values.insert(centres.values.end(), {1.0 + c % 2, 3});
  const NearestCentres nearest(centres, 4);
  REQUIRE(nearest.parts() == 4);
  const std::vector<float> x{1, 3, 2, 3};
  const std::vector<const float*> rows{&x[0], &x[2]};
  const std::vector<std::uint64_t> wanted(2, 15);
  std::vector<std::int32_t> labels(2);
  std::vector<Reach> reach(2);
  std::vector<double> others(8);
  nearest.find_among(rows, wanted, labels.data(), reach.data(), others.data());
  CHECK(labels == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("an order by nearness has every point once, and near ones together") {
  Array points{{40, 2}, {}};
  for (int i = 0; i < 40; ++i) {
    points.values.push_back(i % 4 * 100 + i);
    points.values.push_back(i % 4 % 2 * 1000);
  }
  std::vector<std::int32_t> order = order_by_nearness(points, 4);
  for (std::size_t i = 0; i < 40; ++i) CHECK(order[i] % 4 == order[i / 10 * 10] % 4);
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> numbers(40);
  std::iota(numbers.begin(), numbers.end(), 0);
  CHECK(order == numbers);
  CHECK(order_by_nearness(points, 1) == numbers);
}

}  // namespace craton::nearest_test
