#pragma once
#include <span>
#include <vector>

#include "craton/draw/frame.h"

namespace craton {

// What lies between two curves over the same x, ascending.
struct Band {
  std::vector<double> x = {}, low = {}, high = {};
};

// Each in grey, one over the other; places that cannot be drawn are passed over.
void draw_bands(Frame& frame, std::span<const Band> bands);

}  // namespace craton
