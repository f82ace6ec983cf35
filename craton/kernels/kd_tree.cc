#include "craton/kernels/kd_tree.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/double_double.h"

// O(n d log n) for the order, O(n d^2) for the moments of each level, of which there are
// log(n / 64) / log 16.

namespace craton {
namespace {

Index groups_of(Index count, Index size) { return (count + size - 1) / size; }

}  // namespace

struct KdTree::Rows {
  const Dense<double>& points;
  std::span<const double> weights;
  const std::vector<std::uint32_t>& order;

  const double* row(Index place) const { return points.row(order[usize(place)]); }
  double weight(Index place) const { return weights[usize(order[usize(place)])]; }
};

KdTree::KdTree(const Dense<double>& points, std::span<const double> weights,
               std::span<const double> scales, std::vector<std::uint32_t>& order)
    : points_(points.rows), columns_(points.cols) {
  CRATON_ASSERT(points_ > 0 && points_ <= Index{UINT32_MAX} && std::ssize(weights) == points_ &&
                std::ssize(scales) == columns_);
  order.resize(usize(points_));
  for (Index i = 0; i < points_; ++i) order[usize(i)] = static_cast<std::uint32_t>(i);
  const Rows rows{points, weights, order};
  const Index leaves = groups_of(points_, kLeaf);
  Index unit = 1;
  while (groups_of(leaves, unit) > kChildren) unit *= kChildren;
  cut(rows, scales, 0, leaves, unit, order);
  for (Index nodes = leaves;; nodes = groups_of(nodes, kChildren)) {
    Level& level = levels_.emplace_back();
    level.nodes = nodes;
    const Index level_number = levels() - 1;
    level.values.resize(usize(groups_of(nodes, kChildren) * quantities() * kChildren));
    add_boxes(rows, level_number);
    for (Index i = 0; i < nodes; ++i) add_moments(rows, scales, level_number, i);
    for (Index i = nodes; i % kChildren != 0; ++i) {
      for (Index q = 0; q < quantities(); ++q) {
        at(level_number, i, q) = q == weight() ? 0 : quantity(level_number, nodes - 1, q);
      }
    }
    if (nodes <= kChildren) break;
  }
}

double& KdTree::at(Index level, Index node, Index q) {
  return levels_[usize(level)]
      .values[usize((node / kChildren * quantities() + q) * kChildren + node % kChildren)];
}

RowRange KdTree::places(Index level, Index node) const {
  Index size = kLeaf;
  for (Index l = 0; l < level; ++l) size *= kChildren;
  return {node * size, std::min((node + 1) * size, points_)};
}

// Orders the points of the leaves [first, last) so that those of each leaf, and of each node above,
// stand together. `unit` leaves make a child.
void KdTree::cut(const Rows& rows, std::span<const double> scales, Index first, Index last,
                 Index unit, std::vector<std::uint32_t>& order) const {
  const Index children = groups_of(last - first, unit);
  const auto place = [&](Index leaf) { return order.begin() + std::min(leaf * kLeaf, points_); };
  if (children == 1) {
    if (unit == 1) return std::sort(place(first), place(last));
    return cut(rows, scales, first, last, unit / kChildren, order);
  }
  Index widest = 0;
  double width = -1;
  for (Index j = 0; j < columns_; ++j) {
    double low = INFINITY, high = -INFINITY;
    for (auto i = place(first); i != place(last); ++i) {
      const double value = rows.points.row(*i)[j];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const double side = (high - low) * scales[usize(j)];
    if (side > width) widest = j;
    width = std::max(width, side);
  }
  const Index middle = first + children / 2 * unit;
  std::nth_element(place(first), place(middle), place(last), [&](Index a, Index b) {
    const double x = rows.points.row(a)[widest], y = rows.points.row(b)[widest];
    return x < y || (x == y && a < b);
  });
  cut(rows, scales, first, middle, unit, order);
  cut(rows, scales, middle, last, unit, order);
}

void KdTree::add_boxes(const Rows& rows, Index level) {
  for (Index node = 0; node < nodes(level); ++node) {
    for (Index j = 0; j < columns_; ++j) {
      double low_end = INFINITY, high_end = -INFINITY;
      const auto widen = [&](double from, double to) {
        low_end = std::min(low_end, from);
        high_end = std::max(high_end, to);
      };
      if (level == 0) {
        const RowRange range = places(0, node);
        for (Index i = range.first; i < range.last; ++i) widen(rows.row(i)[j], rows.row(i)[j]);
      } else {
        const Index end = std::min((node + 1) * kChildren, nodes(level - 1));
        for (Index c = node * kChildren; c < end; ++c) {
          widen(quantity(level - 1, c, low(j)), quantity(level - 1, c, high(j)));
        }
      }
      at(level, node, low(j)) = low_end;
      at(level, node, high(j)) = high_end;
    }
  }
}

// Sums of the 64 points of a leaf, and those added with 106 bits.
void KdTree::add_moments(const Rows& rows, std::span<const double> scales, Index level,
                         Index node) {
  const RowRange range = places(level, node);
  const Index d = has_moments() ? columns_ : 0;
  const auto by_leaves = [&](auto& totals, const auto& add) {
    for (Index first = range.first; first < range.last; first += kLeaf) {
      std::array<double, std::tuple_size_v<std::remove_reference_t<decltype(totals)>>> part{};
      for (Index i = first; i < std::min(first + kLeaf, range.last); ++i) add(i, part);
      for (std::size_t k = 0; k < part.size(); ++k) totals[k] += DoubleDouble(part[k]);
    }
  };
  std::array<DoubleDouble, kMostColumns + 1> sums;  // of weights, then of weighted coordinates
  by_leaves(sums, [&](Index i, auto& part) {
    const double w = rows.weight(i);
    part[usize(d)] += w;
    for (Index j = 0; j < d; ++j) {
      part[usize(j)] += w * (rows.row(i)[j] - quantity(level, node, low(j)));
    }
  });
  const double all = double(sums[usize(d)]);
  at(level, node, weight()) = all;
  if (!has_moments()) return;

  for (Index j = 0; j < d; ++j) {
    const double side = quantity(level, node, high(j)) - quantity(level, node, low(j));
    at(level, node, mean(j)) = std::clamp(double(sums[usize(j)]) / all, 0.0, side);
  }
  constexpr Index kPairs = kMostColumns * (kMostColumns + 1) / 2;
  std::array<DoubleDouble, kPairs + kMostColumns + 1> moments;  // M, t, f
  std::array<double, kMostColumns> z;
  by_leaves(moments, [&](Index i, auto& part) {
    const double w = rows.weight(i);
    double square = 0;
    std::size_t pair = 0;
    for (Index j = 0; j < d; ++j) {
      const double from_corner = rows.row(i)[j] - quantity(level, node, low(j));
      z[usize(j)] = (from_corner - quantity(level, node, mean(j))) * scales[usize(j)];
      square += z[usize(j)] * z[usize(j)];
      for (Index k = 0; k <= j; ++k) part[pair++] += w * z[usize(j)] * z[usize(k)];
    }
    for (Index j = 0; j < d; ++j) part[usize(kPairs + j)] += w * z[usize(j)] * square;
    part[kPairs + kMostColumns] += w * square * square;
  });
  for (Index pair = 0; pair < second(d, 0) - second(0, 0); ++pair) {
    at(level, node, second(0, 0) + pair) = double(moments[usize(pair)]) / all;
  }
  for (Index j = 0; j < d; ++j)
    at(level, node, third(j)) = double(moments[usize(kPairs + j)]) / all;
  at(level, node, fourth()) = double(moments[kPairs + kMostColumns]) / all;
}

}  // namespace craton
