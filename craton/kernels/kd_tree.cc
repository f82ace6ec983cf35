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

constexpr Index kLeavesOfTask = 64, kTasks = 16;  // of large trees so many tasks

Index groups_of(Index count, Index size) { return (count + size - 1) / size; }

}  // namespace

struct KdTree::Rows {
  const Dense<double>& points;
  std::span<const double> weights;
  const std::vector<std::uint32_t>& order;

  const double* row(Index place) const { return points.row(order[usize(place)]); }
  double weight(Index place) const {
    return weights.empty() ? 1 : weights[usize(order[usize(place)])];
  }
};

// Leaves [first, last), of which `unit` make a child.
struct KdTree::Part {
  Index first, last, unit;
};

KdTree::KdTree(const Dense<double>& points, std::span<const double> weights,
               std::span<const double> scales, std::vector<std::uint32_t>& order, RunTasks run)
    : points_(points.rows), columns_(points.cols) {
  CRATON_ASSERT(points_ > 0 && points_ <= Index{UINT32_MAX} &&
                (weights.empty() || std::ssize(weights) == points_) &&
                std::ssize(scales) == columns_);
  order.resize(usize(points_));
  for (Index i = 0; i < points_; ++i) order[usize(i)] = static_cast<std::uint32_t>(i);
  const Rows rows{points, weights, order};
  const Index leaves = groups_of(points_, kLeaf);
  Index unit = 1;
  while (groups_of(leaves, unit) > kChildren) unit *= kChildren;
  std::vector<Part> parts, none;
  cut(rows, scales, {0, leaves, unit}, order, std::max(kLeavesOfTask, leaves / kTasks), parts);
  run(std::ssize(parts), [&](Index i) { cut(rows, scales, parts[usize(i)], order, 0, none); });
  for (Index nodes = leaves;; nodes = groups_of(nodes, kChildren)) {
    Level& level = levels_.emplace_back();
    level.nodes = nodes;
    const Index level_number = levels() - 1;
    level.values.resize(usize(groups_of(nodes, kChildren) * quantities() * kChildren));
    const Index together = std::max<Index>(1, kLeavesOfTask * nodes / leaves);
    run(groups_of(nodes, together), [&](Index task) {
      for (Index i = task * together; i < std::min(nodes, (task + 1) * together); ++i) {
        add_box(rows, level_number, i);
        add_moments(rows, scales, level_number, i);
      }
    });
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

// Orders the points of the leaves so that those of each leaf, and of each node above, stand
// together. Parts of at most `large` leaves are left for later.
void KdTree::cut(const Rows& rows, std::span<const double> scales, const Part& part,
                 std::vector<std::uint32_t>& order, Index large, std::vector<Part>& rest) const {
  const auto [first, last, unit] = part;
  if (last - first <= large) return rest.push_back(part);
  const Index children = groups_of(last - first, unit);
  const auto place = [&](Index leaf) { return std::min(leaf * kLeaf, points_); };
  const auto from = order.begin() + place(first), to = order.begin() + place(last);
  if (children == 1) {
    if (unit == 1) return std::sort(from, to);
    return cut(rows, scales, {first, last, unit / kChildren}, order, large, rest);
  }
  Index widest = 0;
  double width = -1;
  for (Index j = 0; j < columns_; ++j) {
    double low = INFINITY, high = -INFINITY;
    for (auto i = from; i != to; ++i) {
      const double value = rows.points.row(*i)[j];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const double side = (high - low) * scales[usize(j)];
    if (side > width) widest = j;
    width = std::max(width, side);
  }
  const Index middle = first + children / 2 * unit;
  {
    struct Value {
      double value;
      std::uint32_t point;
      bool operator<(const Value& other) const {
        return value < other.value || (value == other.value && point < other.point);
      }
    };
    std::vector<Value> values;  // side by side: points lie anywhere
    values.reserve(usize(to - from));
    for (auto i = from; i != to; ++i) values.push_back({rows.points.row(*i)[widest], *i});
    std::nth_element(values.begin(), values.begin() + (place(middle) - place(first)), values.end());
    std::ranges::transform(values, from, &Value::point);
  }
  cut(rows, scales, {first, middle, unit}, order, large, rest);
  cut(rows, scales, {middle, last, unit}, order, large, rest);
}

void KdTree::add_box(const Rows& rows, Index level, Index node) {
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
