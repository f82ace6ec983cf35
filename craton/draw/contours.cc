#include "craton/draw/contours.h"

#include <cmath>
#include <map>
#include <set>

#include "craton/base/error.h"

// Pieces are keyed by the edges of the grid that they go from and to, and every edge is left by at
// most one: so lines are followed from edge to edge.

namespace craton {
namespace {

// The edges of a cell, in its order: below, right, above, left.
enum Side { kBelow, kRight, kAbove, kLeft };

class Marcher {
 public:
  Marcher(const Surface& surface, double level)
      : surface_(surface), level_(level), columns_(ssize(surface.x)) {
    for (Index j = 0; j + 1 < ssize(surface.y); ++j) {
      for (Index i = 0; i + 1 < columns_; ++i) march(i, j);
    }
  }

  std::vector<ContourLine> lines() {
    std::vector<ContourLine> all;
    // Open lines begin where no piece ends; what is left then is closed.
    for (const auto& [from, to] : next_) {
      if (!ends_.contains(from)) all.push_back(follow(from));
    }
    while (!left_.empty()) all.push_back(follow(left_.begin()->first));
    return all;
  }

 private:
  double value(Index i, Index j) const { return surface_.values[usize(j * columns_ + i)]; }
  bool inside(Index i, Index j) const { return value(i, j) >= level_; }

  // Edges to the right of a corner have even numbers, those upwards odd ones.
  Index edge(Index i, Index j, Side side) const {
    if (side == kRight) ++i;
    if (side == kAbove) ++j;
    return 2 * (j * columns_ + i) + (side == kRight || side == kLeft ? 1 : 0);
  }
  void place(Index edge, ContourLine& line) const {
    const Index corner = edge / 2, i = corner % columns_, j = corner / columns_;
    const bool up = edge % 2 == 1;
    const double from = value(i, j), to = up ? value(i, j + 1) : value(i + 1, j);
    const double share = (level_ - from) / (to - from);
    const double x = surface_.x[usize(i)], y = surface_.y[usize(j)];
    line.x.push_back(up ? x : x + share * (surface_.x[usize(i) + 1] - x));
    line.y.push_back(up ? y + share * (surface_.y[usize(j) + 1] - y) : y);
  }

  void add(Index i, Index j, Side from, Side to) {
    next_[edge(i, j, from)] = edge(i, j, to);
    left_[edge(i, j, from)] = edge(i, j, to);
    ends_.insert(edge(i, j, to));
  }

  // What is inside lies on the left of each piece.
  void march(Index i, Index j) {
    const double sum = value(i, j) + value(i + 1, j) + value(i + 1, j + 1) + value(i, j + 1);
    if (!std::isfinite(sum)) return;
    const bool middle = sum / 4 >= level_;
    const int corners = (inside(i, j) ? 1 : 0) + (inside(i + 1, j) ? 2 : 0) +
                        (inside(i + 1, j + 1) ? 4 : 0) + (inside(i, j + 1) ? 8 : 0);
    switch (corners) {
      case 1:
        return add(i, j, kBelow, kLeft);
      case 2:
        return add(i, j, kRight, kBelow);
      case 3:
        return add(i, j, kRight, kLeft);
      case 4:
        return add(i, j, kAbove, kRight);
      case 5:
        add(i, j, kBelow, middle ? kRight : kLeft);
        return add(i, j, kAbove, middle ? kLeft : kRight);
      case 6:
        return add(i, j, kAbove, kBelow);
      case 7:
        return add(i, j, kAbove, kLeft);
      case 8:
        return add(i, j, kLeft, kAbove);
      case 9:
        return add(i, j, kBelow, kAbove);
      case 10:
        add(i, j, kRight, middle ? kAbove : kBelow);
        return add(i, j, kLeft, middle ? kBelow : kAbove);
      case 11:
        return add(i, j, kRight, kAbove);
      case 12:
        return add(i, j, kLeft, kRight);
      case 13:
        return add(i, j, kBelow, kRight);
      case 14:
        return add(i, j, kLeft, kBelow);
      default:
        return;  // all inside, or none
    }
  }

  ContourLine follow(Index from) {
    ContourLine line;
    for (Index at = from;;) {
      place(at, line);
      const auto found = left_.find(at);
      if (found == left_.end()) return line;
      at = found->second;
      left_.erase(found);
      if (at != from) continue;
      line.closed = true;
      return line;
    }
  }

  const Surface& surface_;
  double level_;
  Index columns_;
  std::map<Index, Index> next_, left_;  // of pieces, by the edge that they come from
  std::set<Index> ends_;
};

}  // namespace

std::vector<ContourLine> contour_lines(const Surface& surface, double level) {
  CRATON_ASSERT(surface.values.size() == surface.x.size() * surface.y.size());
  return Marcher(surface, level).lines();
}

}  // namespace craton
