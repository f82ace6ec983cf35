#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// The places of the few cells of each class whose log probabilities lie most above the mean of all
// classes, the most distinctive first. `table` is classes x cells. Of one class alone: its most
// probable cells.
std::vector<std::vector<std::size_t>> distinctive_cells(std::span<const double> table,
                                                        Index classes);

}  // namespace craton
