#include "craton/cluster/bounds.h"

#include "craton/kernels/differences.h"

namespace craton {

void RowBounds::move(const Array& before, const Array& after) {
  const Index k = after.rows(), d = after.cols();
  margin_ = 4 * static_cast<double>(d + 16) * 0x1p-52;
  first_move_ = second_move_ = 0;
  for (Index c = 0; c < k; ++c) {
    const double squared = squared_distance(before.view().row(c), after.view().row(c), d);
    const double moved = std::sqrt(squared) * (1 + margin_) + kTiny;
    if (moved > first_move_) {
      second_move_ = first_move_;
      first_move_ = moved;
      fastest_ = usize(c);
    } else {
      second_move_ = std::max(second_move_, moved);
    }
  }
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
