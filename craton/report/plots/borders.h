#pragma once
#include <vector>

#include "craton/draw/scatter.h"
#include "craton/report/plots/fit_plot.h"

// Where the label that a model predicts changes, for pictures.

namespace craton {

struct Box {
  double left = 0, right = 0, bottom = 0, top = 0;
};

// Of two columns, while the others stay at their middle: short lines within the box.
std::vector<Segment> border_lines(const Fitted& fitted, std::span<const double> middle,
                                  const PlotColumns& columns, const Box& box, const Exec& exec);

}  // namespace craton
