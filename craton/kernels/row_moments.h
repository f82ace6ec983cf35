#pragma once
#include <cstdint>

#include "craton/base/matrix.h"

namespace craton {

// With y = row - shift adds weight y to `sum` and weight y^2 to `square`, by column. Returns the
// sum of hash_value(row[j], keys[j]) (base/value_hash.h). A value that is NaN or infinite leaves
// NaN or an infinity in its sums, whatever is added later.
template <class T>
std::uint64_t add_row_moments(const T* row, Index columns, double weight, const double* shift,
                              const std::uint64_t* keys, double* sum, double* square);

}  // namespace craton
