#include "craton/cluster/bounds.h"

#include "craton/kernels/differences.h"

namespace craton {

RowBounds::RowBounds(Index rows, Index centres)
    : labels(usize(rows), -1),
      own_(usize(rows)),
      other_(usize(rows)),
      moved_(usize(centres)),
      others_moved_(usize(centres)) {}

void RowBounds::clear() {
  std::fill(labels.begin(), labels.end(), -1);
  std::fill(moved_.begin(), moved_.end(), 0.0);
  std::fill(others_moved_.begin(), others_moved_.end(), 0.0);
  halves_.clear();
}

void RowBounds::move(const Array& before, const Array& after) {
  const Index k = after.rows(), d = after.cols();
  margin_ = 4 * static_cast<double>(d + 16) * 0x1p-52;
  double first = 0, second = 0;  // the longest moves
  Index fastest = 0;
  for (Index c = 0; c < k; ++c) {
    const double moved = at_most(squared_distance(before.view().row(c), after.view().row(c), d));
    moved_[usize(c)] += moved;
    if (moved > first) {
      second = first;
      first = moved;
      fastest = c;
    } else {
      second = std::max(second, moved);
    }
  }
  for (Index c = 0; c < k; ++c) others_moved_[usize(c)] += c == fastest ? second : first;
  // Worth its k^2 distances when there are more rows.
  halves_.clear();
  if (k * k > std::ssize(labels)) return;
  halves_.assign(usize(k), INFINITY);
  std::vector<double> squared(usize(k));
  for (Index c = 0; c < k; ++c) {
    squared_distances(after.view().row(c), after.values.data(), c, d, squared.data());
    for (Index other = 0; other < c; ++other) {
      const double half = std::sqrt(squared[usize(other)]) / 2 * (1 - margin_);
      halves_[usize(c)] = std::min(halves_[usize(c)], half);
      halves_[usize(other)] = std::min(halves_[usize(other)], half);
    }
  }
}

}  // namespace craton
