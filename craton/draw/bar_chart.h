#pragma once
#include <string>
#include <vector>

namespace craton {

struct Bar {
  std::string name;
  double value = 0;  // below 0 it points to the left
  double error = 0;  // a line so far to either side of its end; 0: none
};

struct BarPanel {
  std::string title = {};
  std::vector<Bar> bars = {};  // from the top
};

// Names with bars to their right, in panels that share one scale.
struct BarChart {
  std::string title = {}, subtitle = {};
  std::vector<BarPanel> panels = {};  // row by row
};

// An SVG picture, as large as it takes: every bar has its value behind it. A value that is not
// finite has a name and no bar.
std::string draw_bar_chart(const BarChart& chart);

}  // namespace craton
