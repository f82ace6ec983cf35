#pragma once
#include <cstdint>

// Calls of malloc and its like by this thread, `operator new` included. Linked into a program,
// allocations.cc counts them: it takes the place of malloc.

namespace craton {
std::int64_t allocations();
}  // namespace craton
