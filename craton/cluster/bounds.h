#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/kernels/nearest.h"

// What k-means knows of every row between two passes, so that a row whose nearest centre cannot
// have changed is not compared with all of them again. Hamerly, "Making k-means even faster" (SDM
// 2010): row x of centre a keeps an upper bound u on |x - a| and a lower bound l on its distance
// from every other centre. When the centres move, u grows by the move of a and l falls by the
// longest move of another; a stays the nearest while
//
//   u < max(l, half the distance from a to the nearest other centre).
//
// Where the centres come in parts of near ones, each part has a lower bound of its own, and a row
// in doubt is compared with the parts in doubt alone: Ding, Zhao, Shen, Musuvathi and Mytkowicz,
// "Yinyang k-means" (ICML 2015).
//
// A row that is spared is not written to: the moves are summed by centre and by part, and the
// bounds are kept less those sums. Margins cover all roundings, so labels are those of a pass that
// compares everything.

namespace craton {

class RowBounds {
 public:
  // `unit` is about the length of the rows about their mean: bounds are kept in float, in it.
  RowBounds(Index rows, Index parts, double unit);

  // Forgets everything; the parts of the centres from now on.
  void start(std::vector<std::int32_t> part_of_centres);
  // Between passes: the centres went from `before` to `after`.
  void move(const Array& before, const Array& after);

  Index parts() const { return parts_; }

  // Row `row` is nearest to centre `label`, at `own` at most.
  void set(std::size_t row, std::int32_t label, double own) {
    labels[row] = label;
    const double kept = (own - moved_[centre_of(row)]) * inverse_;
    own_[row] = static_cast<float>(kept + kFloat * std::abs(kept) + kSmallest);
  }
  // Other centres of the part are at least this far.
  void set_other(std::size_t row, Index part, double other) {
    const double kept = std::min((other + drift(row, part)) * inverse_, kLargest) * (1 - kFloat);
    other_[row * usize(parts_) + usize(part)] = static_cast<float>(kept);
  }
  // The distance from its centre is at most this, by a squared distance in double.
  double at_most(double squared) const { return std::sqrt(squared) * (1 + margin_) + kTiny; }

  // How far its centre is at most, by what is kept.
  double own(std::size_t row) const {
    const double moved = moved_[centre_of(row)];
    return double{own_[row]} * unit_ + moved + kSlack * moved;
  }
  // The parts, one bit each, that may have a centre nearer than `own`; that of its centre is always
  // among them. None: its centre is the nearest beyond doubt.
  std::uint64_t doubtful(std::size_t row, double own) const {
    if (parts_ > 1) return doubtful_parts(row, own);
    const std::size_t c = centre_of(row);
    const bool half = own < halves_[c], far = farther(own, others_moved_[c], other_[row]);
    return static_cast<std::uint64_t>(!(half | far));  // no branch: it would go either way
  }

  std::vector<std::int32_t> labels;  // -1: not known

 private:
  std::size_t centre_of(std::size_t row) const { return static_cast<std::size_t>(labels[row]); }
  std::uint64_t doubtful_parts(std::size_t row, double own) const;
  // Whether centres that were `kept` away at least, and have moved since, are farther than `own`:
  // l - moves > u, with the slack, is l (1 - slack) > u + moves (1 + slack).
  bool farther(double own, double moved, float kept) const {
    return own + moved * (1 + kSlack) < double{kept} * (unit_ * (1 - kSlack));
  }
  // What other centres of the part have moved since the start, as row `row` counts it.
  double drift(std::size_t row, Index part) const {
    const std::size_t c = centre_of(row);
    return part_of_[c] == part ? others_moved_[c] : part_moved_[usize(part)];
  }

  static constexpr double kSlack = 0x1p-40;  // of the sums of moves
  static constexpr double kTiny = 1e-140;    // squares of less lose digits
  static constexpr double kFloat = 0x1p-22;  // of a float, relative
  static constexpr double kSmallest = 0x1p-126;
  static constexpr double kLargest = 0x1p96;  // far beyond, and no infinity
  Index parts_;
  double unit_, inverse_;
  double margin_ = 0;                  // of a squared distance, relative
  std::vector<float> own_, other_;     // the bounds, without the moves; n, n x parts
  std::vector<std::int32_t> part_of_;  // of each centre
  std::vector<double> moved_;          // of each centre, summed
  std::vector<double> others_moved_;   // the longest of another of its part, summed
  std::vector<double> part_moved_;     // the longest of the part, summed
  std::vector<double> halves_;         // half the distance to the nearest other centre; 0: unknown
};

}  // namespace craton
