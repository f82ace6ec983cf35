#pragma once
#include <string>
#include <vector>

namespace craton {

// Words down the left side, and beside each a bar: as long as the sum of its parts, which are
// coloured by group, or with a bar for each group.
struct StackedBars {
  std::string title = {}, subtitle = {}, x_name = {}, y_name = {};
  std::vector<std::string> names = {};          // from the top
  std::vector<std::vector<double>> parts = {};  // of group g, by name
  std::vector<double> marks = {};               // by name: a dark line across the bar; none: empty
  std::string mark_name = {};                   // what it is, for who points at it
  std::vector<std::string> legend = {};         // the name of group g; empty: no legend
  bool grouped = false;                         // a bar for each group, one below the other
  bool small = false;                           // to lie beside others (panels.h)
};

// An SVG picture. Of more than 24 names the 23 with the longest bars are drawn, in their order, and
// what the others have together; the subtitle says so. Every part and mark tells its value. What is
// not finite, or below 0, is not drawn. requires a number for each name in all parts and marks.
std::string draw_stacked_bars(const StackedBars& bars);

}  // namespace craton
