#include "craton/kernels/kd_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "craton/base/random.h"

namespace craton::kd_tree_test {
namespace {

struct Problem {
  Index rows, columns;
  std::vector<double> points, weights, scales;
  Dense<double> view() const { return {points.data(), rows, columns, columns}; }
};

Problem problem(Index rows, Index columns, double offset) {
  Random random(static_cast<std::uint64_t>(rows), Purpose::kTest, 11,
                static_cast<std::uint64_t>(columns));
  Problem p{rows, columns, {}, {}, {}};
  for (Index j = 0; j < columns; ++j) p.scales.push_back(0.5 + random.uniform());
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      // Ties in the first column, and a row far away.
      const double value = j == 0 ? std::round(2 * random.normal()) / 2 : random.normal();
      p.points.push_back(offset + value + (i == 7 ? 1e6 : 0));
    }
    p.weights.push_back(0.1 + random.uniform());
  }
  return p;
}

}  // namespace

TEST_CASE(
    "every point has one place, nodes have whole leaves, and their moments are those of sums") {
  for (const Index rows : {1, 8, 63, 64, 65, 513, 700, 5000}) {
    for (const Index columns : {1, 2, 3, 8, 9}) {
      CAPTURE(rows);
      CAPTURE(columns);
      const Problem p = problem(rows, columns, 1e5);
      std::vector<std::uint32_t> order;
      const KdTree tree(p.view(), p.weights, p.scales, order);
      std::vector<std::uint32_t> sorted = order;
      std::ranges::sort(sorted);
      for (Index i = 0; i < rows; ++i) REQUIRE(sorted[usize(i)] == i);
      CHECK(tree.nodes(tree.levels() - 1) <= KdTree::kChildren);
      for (Index level = 0; level < tree.levels(); ++level) {
        Index next = 0;
        for (Index node = 0; node < tree.nodes(level); ++node) {
          const RowRange places = tree.places(level, node);
          CHECK(places.first == next);
          CHECK(places.size() > 0);
          next = places.last;
          const auto value = [&](Index q) { return tree.quantity(level, node, q); };
          long double weight = 0, fourth = 0, across = 0;
          for (Index i = places.first; i < places.last; ++i) {
            weight += p.weights[usize(order[usize(i)])];
          }
          CHECK(value(tree.weight()) == doctest::Approx(static_cast<double>(weight)));
          for (Index j = 0; j < columns; ++j) {
            double low = INFINITY, high = -INFINITY;
            for (Index i = places.first; i < places.last; ++i) {
              const double y = p.view().row(order[usize(i)])[j];
              low = std::min(low, y);
              high = std::max(high, y);
            }
            CHECK(value(tree.low(j)) == low);
            CHECK(value(tree.high(j)) == high);
            const long double side = (static_cast<long double>(high) - low) * p.scales[usize(j)];
            across += side * side;
          }
          across = std::sqrt(across);
          if (!tree.has_moments()) continue;
          // About the mean that is stored, as the header bounds them.
          std::vector<long double> first(usize(columns)), third(usize(columns)),
              second(usize(columns * columns));
          for (Index i = places.first; i < places.last; ++i) {
            const double* const y = p.view().row(order[usize(i)]);
            const long double w = p.weights[usize(order[usize(i)])];
            std::vector<long double> z(usize(columns));
            long double square = 0;
            for (Index j = 0; j < columns; ++j) {
              z[usize(j)] =
                  (static_cast<long double>(y[j]) - value(tree.low(j)) - value(tree.mean(j))) *
                  p.scales[usize(j)];
              square += z[usize(j)] * z[usize(j)];
            }
            fourth += w * square * square / weight;
            for (Index j = 0; j < columns; ++j) {
              first[usize(j)] += w * z[usize(j)] / weight;
              third[usize(j)] += w * z[usize(j)] * square / weight;
              for (Index k = 0; k <= j; ++k) {
                second[usize(j * columns + k)] += w * z[usize(j)] * z[usize(k)] / weight;
              }
            }
          }
          const long double e = 0x1p-53L;
          CHECK(std::abs(fourth - value(tree.fourth())) <= 160 * e * std::pow(across, 4));
          for (Index j = 0; j < columns; ++j) {
            CHECK(std::abs(first[usize(j)]) <= 160 * e * across);
            CHECK(std::abs(third[usize(j)] - value(tree.third(j))) <=
                  160 * e * std::pow(across, 3));
            for (Index k = 0; k <= j; ++k) {
              CHECK(std::abs(second[usize(j * columns + k)] - value(tree.second(j, k))) <=
                    160 * e * across * across);
            }
          }
        }
        CHECK(next == rows);
      }
    }
  }
}

TEST_CASE("a leaf is a small box: a tree of a square has leaves of about equal sides") {
  const Index rows = 64 * 64;
  std::vector<double> points, weights(usize(rows), 1.0);
  for (Index i = 0; i < rows; ++i) {
    points.push_back(static_cast<double>(i / 64));
    points.push_back(static_cast<double>(i % 64));
  }
  std::vector<std::uint32_t> order;
  const KdTree tree({points.data(), rows, 2, 2}, weights, std::vector<double>{1, 1}, order);
  for (Index leaf = 0; leaf < tree.nodes(0); ++leaf) {
    for (Index j = 0; j < 2; ++j) {
      CHECK(tree.quantity(0, leaf, tree.high(j)) - tree.quantity(0, leaf, tree.low(j)) == 7);
    }
  }
}

TEST_CASE("the places past the last node repeat it without weight") {
  const Problem p = problem(700, 2, 0);
  std::vector<std::uint32_t> order;
  const KdTree tree(p.view(), p.weights, p.scales, order);
  for (Index level = 0; level < tree.levels(); ++level) {
    for (Index i = tree.nodes(level); i % KdTree::kChildren != 0; ++i) {
      CHECK(tree.quantity(level, i, tree.weight()) == 0);
      CHECK(tree.quantity(level, i, tree.low(1)) ==
            tree.quantity(level, tree.nodes(level) - 1, tree.low(1)));
    }
  }
}

}  // namespace craton::kd_tree_test
