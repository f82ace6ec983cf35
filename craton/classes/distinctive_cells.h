#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// The few cells of each class, by place, whose log probabilities lie most above the mean of all
// classes, the first first. `table` is classes x cells. Of one class: its most probable cells.
std::vector<std::vector<std::size_t>> distinctive_cells(std::span<const double> table, Index classes);

}  // namespace craton
