#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Weights of points. No weights: all are 1, and take no memory.

namespace craton {

inline double weight_of(std::span<const double> weights, Index point) {
  return weights.empty() ? 1 : weights[usize(point)];
}

// The same for points in blocks of eight, the last of which may have places without a point: their
// weight is 0.
class BlockWeights {
 public:
  static constexpr Index kLanes = 8, kTogether = 64;  // blocks that are asked for at once

  BlockWeights() = default;
  BlockWeights(std::vector<double> weights, Index points)
      : points_(points), all_(std::move(weights)) {
    const std::size_t blocks = usize((points + kLanes - 1) / kLanes);
    if (!all_.empty()) {
      all_.resize(blocks * usize(kLanes));
      return;
    }
    ones_.assign(usize((kTogether + 1) * kLanes), 1);
    std::fill(ones_.end() - (Index(blocks) * kLanes - points), ones_.end(), 0);
  }

  bool all_one() const { return all_.empty(); }
  std::span<const double> given() const {  // none: all are 1
    return {all_.data(), all_one() ? 0 : usize(points_)};
  }
  double operator[](Index place) const {
    if (!all_one()) return all_[usize(place)];
    return place < points_ ? 1 : 0;
  }
  // requires last - first <= kTogether.
  const double* blocks(Index first, Index last) const {
    if (!all_one()) return all_.data() + first * kLanes;
    const bool ends = last * kLanes >= points_;
    return ones_.data() + (ends ? kTogether + 1 - (last - first) : 0) * kLanes;
  }

 private:
  Index points_ = 0;
  std::vector<double> all_, ones_;  // ones_: and the last block
};

}  // namespace craton
