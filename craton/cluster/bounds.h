#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/core/table.h"

// What k-means knows of every row between two passes, so that a row whose nearest centre cannot
// have changed is not compared with all of them again. Hamerly, "Making k-means even faster" (SDM
// 2010): row x of centre a keeps a lower bound l on its distance from every other centre. When the
// centres have moved, l falls by the longest move of another centre; a stays the nearest while
//
//   |x - a| < max(l, half the distance from a to the nearest other centre).
//
// Margins cover all roundings, so labels are those of a pass that compares everything.

namespace craton {

class RowBounds {
 public:
  explicit RowBounds(Index rows) : labels(usize(rows), -1), others(usize(rows)) {}

  // Between passes: the centres went from `before` to `after`.
  void move(const Array& before, const Array& after);

  // At least this far from `row` lie the centres that are not its own, now.
  double lower(std::size_t row) const {
    const std::size_t label = static_cast<std::size_t>(labels[row]);
    return others[row] - (label == fastest_ ? second_move_ : first_move_) - kSlack * others[row];
  }
  // Is centre `label`, at a computed squared distance, nearest beyond doubt?
  bool certain(std::size_t label, double squared, double lower) const {
    const double reach = halves_.empty() ? lower : std::max(lower, halves_[label]);
    return std::sqrt(squared) * (1 + margin_) + kTiny < reach;
  }

  std::vector<std::int32_t> labels;  // -1: not known
  std::vector<double> others;        // the lower bounds, as of the last pass

 private:
  static constexpr double kSlack = 0x1p-50;  // of a few additions
  static constexpr double kTiny = 1e-140;    // squares of less lose digits
  double margin_ = 0;                        // of a squared distance, relative
  double first_move_ = 0, second_move_ = 0;
  std::size_t fastest_ = 0;
  std::vector<double> halves_;  // half the distance to the nearest other centre; may be empty
};

}  // namespace craton
