#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/core/table.h"
#include "craton/kernels/nearest.h"

// What k-means knows of every row between two passes, so that a row whose nearest centre cannot
// have changed is not compared with all of them again. Hamerly, "Making k-means even faster" (SDM
// 2010): row x of centre a keeps an upper bound u on |x - a| and a lower bound l on its distance
// from every other centre. When the centres move, u grows by the move of a and l falls by the
// longest move of another; a stays the nearest while
//
//   u < max(l, half the distance from a to the nearest other centre).
//
// A row that is spared is not written to: the moves are summed by centre, and the bounds are kept
// less those sums. Margins cover all roundings, so labels are those of a pass that compares
// everything.

namespace craton {

class RowBounds {
 public:
  RowBounds(Index rows, Index centres);

  // Forgets everything.
  void clear();
  // Between passes: the centres went from `before` to `after`.
  void move(const Array& before, const Array& after);

  // Row `row` is nearest to centre `label`, as `reach` says.
  void set(std::size_t row, std::int32_t label, Reach reach) {
    const auto c = static_cast<std::size_t>(label);
    labels[row] = label;
    own_[row] = reach.own - moved_[c];
    other_[row] = reach.other + others_moved_[c];
  }
  // The distance from its centre is at most this, by a squared distance in double.
  double at_most(double squared) const { return std::sqrt(squared) * (1 + margin_) + kTiny; }
  void tighten(std::size_t row, double own) { own_[row] = own - moved_[centre_of(row)]; }

  // Is the centre of `row` the nearest beyond doubt, now: by what is kept; at this distance at
  // most?
  bool certain(std::size_t row) const { return certain(row, own_[row] + moved_[centre_of(row)]); }
  bool certain(std::size_t row, double own) const {
    const std::size_t c = centre_of(row);
    const double reach = std::max(other_[row] - others_moved_[c], halves_.empty() ? 0 : halves_[c]);
    const double sums = own_[row] + other_[row] + moved_[c] + others_moved_[c];
    return own + kSlack * std::abs(sums) < reach;
  }

  std::vector<std::int32_t> labels;  // -1: not known

 private:
  std::size_t centre_of(std::size_t row) const { return static_cast<std::size_t>(labels[row]); }

  static constexpr double kSlack = 0x1p-40;  // of the sums of moves
  static constexpr double kTiny = 1e-140;    // squares of less lose digits
  double margin_ = 0;                        // of a squared distance, relative
  std::vector<double> own_, other_;          // the bounds, without the moves
  std::vector<double> moved_;                // of each centre, summed
  std::vector<double> others_moved_;         // the longest of another, summed
  std::vector<double> halves_;  // half the distance to the nearest other centre; may be empty
};

}  // namespace craton
