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

// Of each column the mean, the sum of weighted squares about it, the least and the greatest value.
struct ColumnMoments {
  double *mean, *scatter, *low, *high;
};

// The next rows, as if each came alone: delta = value - mean, mean += share delta, scatter +=
// weight delta (value - mean), with share = weight / weight of all so far. `hashes`: as above, of
// each.
struct NextRows {
  static constexpr Index kMost = 4;
  Index count;  // kMost or 1: the moments are read and written once for all of them
  const double *weights, *shares;
  std::uint64_t* hashes;
};
template <class T>
void add_to_moments(const T* const* rows, const NextRows& next, Index columns,
                    const std::uint64_t* keys, const ColumnMoments& to);

}  // namespace craton
