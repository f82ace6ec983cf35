#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "craton/draw/band.h"

namespace craton {

// A line over the histogram; group -1 is the whole, drawn in ink. Of counts it has steps: a level
// for each x, as wide as they are apart, and nothing between.
struct DensityCurve {
  std::vector<double> x, y;
  int group = -1;
  bool steps = false;
};

// A line from top to bottom.
struct Divide {
  double x = 0;
  int group = -1;
};

// Values of one column: bars whose area is the share of the values (or of their weight) in them,
// curves of densities over the bars, and below them a tick for each value, coloured by group. What
// a bar, a step or a divide stands for is told to who points at it.
struct Histogram {
  std::string title = {}, subtitle = {}, x_name = {}, y_name = "density";
  std::vector<double> x = {};
  std::vector<double> weight = {};       // of each value; empty: all alike
  std::vector<std::int32_t> group = {};  // of each value; empty: all in group 0
  std::vector<DensityCurve> curves = {};
  bool counts = true;  // bars of the values; else of `edges` and `heights`, or none
  bool whole = false;  // the values are whole numbers: each bar stands about some of them
  std::vector<double> edges = {}, heights = {};
  std::vector<Band> bands = {};  // over the bars
  std::vector<Divide> centres = {};
  std::vector<double> borders = {};      // dashed lines from top to bottom
  std::vector<std::string> legend = {};  // the name of group g; empty: no legend
  double y_most = 0;   // the axis goes up to this at least, to be alike in pictures side by side
  bool small = false;  // to lie beside others (panels.h)
};

// An SVG picture. Values that are not finite are left out. requires as many weights and groups (if
// any) as values, and in a curve as many y as x.
std::string draw_histogram(const Histogram& histogram);

}  // namespace craton
