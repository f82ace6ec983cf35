#pragma once
#include <cstddef>
#include <vector>

namespace craton {

// No numbers, but room for so many: of many the memory is asked for in large pages. Fresh memory is
// handed out page by page, and that takes longer than most of what is then done with it.
std::vector<double> large_room(std::size_t count);
std::vector<double> large_zeros(std::size_t count);

}  // namespace craton
