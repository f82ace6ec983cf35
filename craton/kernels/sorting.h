#pragma once
#include <cstdint>
#include <span>

// Sorting of numbers by vectors: quicksort that parts eight of them at a time (Blacher,
// Giesen, Wassenberg, "Vectorized and performance-portable quicksort", 2022), of which Highway has
// the code. A million doubles take some milliseconds.

namespace craton {

// Ascending. requires finite values, and zeros of one sign.
void sort_ascending(std::span<double> values);
void sort_ascending(std::span<std::uint64_t> values);

}  // namespace craton
