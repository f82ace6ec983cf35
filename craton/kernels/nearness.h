#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// The numbers of some points such that near ones lie together: those that are to go into `parts`
// parts are halved, along the line between two that lie far apart, until there are as many. For one
// part, the numbers in order.
std::vector<std::int32_t> order_by_nearness(const Array& points, Index parts);

}  // namespace craton
