#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/run_tasks.h"

// A tree of boxes over weighted points (Bentley 1975), for sums and searches that leave out or sum
// up what is far away (Gray and Moore 2000). A node has a box, and of its points
//
//   W = sum_i w_i,                  m = sum_i w_i y_i / W,
//   M = sum_i w_i z_i z_i' / W,     t = sum_i w_i z_i |z_i|^2 / W,     f = sum_i w_i |z_i|^4 / W
//
// with z_i = (y_i - m) s, where s are scales of the columns. Points are cut at medians across the
// widest side of their box, by value and then by their number, four times for sixteen children: the
// tree depends on points, weights and scales alone.
//
// There are no pointers. Leaves are kLeaf points one after the other in a new order. Nodes
// 16 i to 16 i + 15 of a level are the children of node i of the level above; on each level only
// the last node may have fewer. The sixteen lie side by side, for vectors.
//
// Means count from the lower corner of the box, so that an offset of the points costs no digits.
// With e = 2^-53 and the diameter D of the box, |sum_i w_i z_i| is at most 160 e W D about the mean
// that is stored, and M, t and f are right to 160 e times D^2, D^3 and D^4: sums over a leaf and
// the weights they are divided by are right to 63 e each, and are added with 106 bits.

namespace craton {

class KdTree {
 public:
  static constexpr Index kLeaf = 64, kChildren = 16;
  // Of more columns there are boxes and weights only: second moments would outweigh the points.
  static constexpr Index kMostColumns = 8;

  // O(n d log n). `order` becomes the number of the point at each place. requires finite points,
  // at least one and fewer than 2^32, and positive weights, or none
  // where all are 1.
  KdTree(const Dense<double>& points, std::span<const double> weights,
         std::span<const double> scales, std::vector<std::uint32_t>& order,
         RunTasks run = run_in_order);

  Index points() const { return points_; }
  Index columns() const { return columns_; }
  bool has_moments() const { return columns_ <= kMostColumns; }

  // Level 0 has the leaves; the last level, which is never empty, at most sixteen nodes.
  Index levels() const { return std::ssize(levels_); }
  Index nodes(Index level) const { return levels_[usize(level)].nodes; }
  // The places of the points of a node.
  RowRange places(Index level, Index node) const;

  // Sixteen nodes, from 16 g on: quantity q of node i is at [q * 16 + i % 16]. Where nodes end, the
  // last one is repeated with weight 0.
  const double* group(Index level, Index g) const {
    return levels_[usize(level)].values.data() + g * quantities() * kChildren;
  }
  double quantity(Index level, Index node, Index q) const {
    return group(level, node / kChildren)[q * kChildren + node % kChildren];
  }
  // The quantities. Those of M are in the order 00, 10, 11, 20, 21, 22, ...: those of the first
  // columns come first.
  Index low(Index column) const { return column; }
  Index high(Index column) const { return columns_ + column; }
  Index weight() const { return 2 * columns_; }
  Index mean(Index column) const { return 2 * columns_ + 1 + column; }
  Index second(Index row, Index column) const {  // column <= row
    return 3 * columns_ + 1 + row * (row + 1) / 2 + column;
  }
  Index third(Index column) const { return second(columns_, 0) + column; }
  Index fourth() const { return third(columns_); }
  Index quantities() const { return has_moments() ? fourth() + 1 : weight() + 1; }

 private:
  struct Level {
    Index nodes = 0;
    std::vector<double> values;
  };
  struct Rows;  // the points in their new order
  struct Part;  // of them, to be cut
  void cut(const Rows& rows, std::span<const double> scales, const Part& part,
           std::vector<std::uint32_t>& order, Index large, std::vector<Part>& rest) const;
  void add_box(const Rows& rows, Index level, Index node);
  void add_moments(const Rows& rows, std::span<const double> scales, Index level, Index node);
  double& at(Index level, Index node, Index q);

  Index points_, columns_;
  std::vector<Level> levels_;
};

}  // namespace craton
