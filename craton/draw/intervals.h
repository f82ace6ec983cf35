#pragma once
#include <string>
#include <vector>

namespace craton {

struct Interval {
  std::string name;
  double estimate = 0, low = 0, high = 0;  // low and high may be NaN: no bar
};

// Estimates with their intervals, one below the other: a mark, a bar, and the name to the left.
// Bars that leave out `neutral` (the value that would mean nothing) are drawn darker than those
// that hold it.
struct Intervals {
  std::string title = {}, subtitle = {}, x_name = {};
  std::vector<Interval> intervals = {};  // from the top
  double neutral = 0;                    // a dashed line from top to bottom
};

// An SVG picture. Estimates that are not finite have a name and no mark; of more than 40 the 40
// whose bars lie farthest from `neutral`, in widths of the bar, are drawn, and the subtitle says
// so.
std::string draw_intervals(const Intervals& intervals);

}  // namespace craton
