#pragma once
#include <string>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

struct Series {
  std::string name;
  std::vector<double> x, y;
  Index best = -1;              // this point is marked, e.g. the lowest BIC; -1: none
  std::string best_label = {};  // what is written beside it
  bool faint = false;           // a thin grey line, one of many: no marks, not in the legend
};

struct Curve {
  std::string title = {}, subtitle = {}, x_name = {}, y_name = {};
  std::vector<Series> series = {};
  bool marks = true;       // at the points, if they are few
  bool from_zero = false;  // of what is no less: lines of the terminal are as long as it is large
  bool small = false;      // to lie beside others (panels.h)
};

// An SVG picture: a line with marks for each series, and a legend if there are several. A point
// that is not finite interrupts its line. requires as many y as x, and best < points.
std::string draw_curve(const Curve& curve);

}  // namespace craton
