#pragma once
#include <cstdint>

#include "craton/base/matrix.h"

// Rows of counts, such as of words: what can be said of many entries at once.

namespace craton {

struct CountedEntries {
  std::uint64_t hash = 0;  // the sum of hash_entry() (base/value_hash.h)
  bool finite = true;
  bool counts = true;     // all are integers in [0, 2^32); then
  std::uint64_t sum = 0;  // of them
};

// Of the entries of a row; columns == nullptr stands for 0, 1, ...
template <class T>
CountedEntries look_at_entries(const T* values, const std::int32_t* columns, Index count);

// The cells that are not 0: their places, ascending, and what they hold. Returns how many there
// are. requires room for `count` and kMorePlaces of each, which may be written to.
inline constexpr Index kMorePlaces = 8;
Index find_nonzero(const std::uint32_t* cells, Index count, std::int32_t* places,
                   std::uint32_t* values);

// How often values[i] >= values[i + 1].
Index count_descents(const std::int32_t* values, Index count);

}  // namespace craton
