#pragma once
#include <cstdint>

#include "craton/base/matrix.h"

namespace craton {

// row_hash() of every row (random.h), to the bit.
template <class View>
void row_hashes(const View& x, std::uint64_t* out);

}  // namespace craton
