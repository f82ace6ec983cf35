#pragma once
#include <vector>

#include "craton/draw/scatter.h"
#include "craton/model/registry.h"

// Where the label that a model predicts changes, for pictures.

namespace craton {

struct Box {
  double left = 0, right = 0, bottom = 0, top = 0;
};

// Of a model of two columns, the first across (or up, if turned): short lines within the box.
std::vector<Segment> border_lines(const AnyModel& model, const Box& box, bool turned,
                                  const Exec& exec);

}  // namespace craton
