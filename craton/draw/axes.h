#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/matrix.h"

// What pictures with axes share: ranges of data, round ticks with short labels, and the map from
// data to pixels.

namespace craton {

// Finite, and far enough from overflow to compute with.
bool can_draw(double value);

// The least range of some values; those that cannot be drawn do not count.
struct AxisRange {
  double low = 0, high = 0;
  bool empty = true;

  void add(double value);
  double width() const { return high - low; }
};

// A range to draw in: wider by `share` of its width at both ends; around a single value where all
// are alike; [0, 1] for none at all.
AxisRange padded(const AxisRange& data, double share);

enum class TickKind { kReal, kWhole };

// Ticks at multiples of 1, 2 or 5 times a power of ten. The labels are of (value - offset) /
// 10^exponent; the offset is 0 unless the range is tiny beside its values, and the exponent is 0
// unless that makes labels much shorter.
struct Ticks {
  std::vector<double> at;
  std::vector<std::string> labels;
  int exponent = 0;
  double offset = 0;
};
Ticks make_ticks(const AxisRange& range, int about, TickKind kind = TickKind::kReal);

// "waiting", "waiting (×10⁶)", or "waiting (+1000000)".
std::string axis_title(const std::string& name, const Ticks& ticks);

// Whole numbers throughout, so that ticks between them would mean nothing.
bool all_whole(std::span<const double> values);

struct Scale {
  AxisRange range;
  double from = 0, to = 1;  // pixels

  double operator()(double value) const {
    return from + (value - range.low) / range.width() * (to - from);
  }
};

// So many numbers from `low` to `high`, at even distances.
std::vector<double> evenly(double low, double high, Index places);

// At most so many of 0..count-1, evenly spaced, ascending.
std::vector<Index> pick_evenly(Index count, Index at_most);

}  // namespace craton
