#pragma once
#include <algorithm>

#include "craton/base/matrix.h"

// One row of a table, dense or sparse.

namespace craton {

// The entries of a sparse row: columns ascend.
template <class T>
struct RowEntries {
  const std::int32_t* columns = nullptr;
  const T* values = nullptr;
  Index count = 0;
};

template <class T>
const T* row_of(const Dense<T>& x, Index i) {
  return x.row(i);
}
template <class T>
RowEntries<T> row_of(const Sparse<T>& x, Index i) {
  return {x.columns + x.offsets[i], x.values + x.offsets[i], x.offsets[i + 1] - x.offsets[i]};
}

// One of its values.
template <class T>
double value_at(const Dense<T>& x, Index row, Index column) {
  return static_cast<double>(x.row(row)[column]);
}
template <class T>
double value_at(const Sparse<T>& x, Index row, Index column) {
  const RowEntries<T> entries = row_of(x, row);
  const std::int32_t* const last = entries.columns + entries.count;
  const std::int32_t* const found = std::lower_bound(entries.columns, last, column);
  const bool stored = found != last && *found == column;
  return stored ? static_cast<double>(entries.values[found - entries.columns]) : 0;
}

}  // namespace craton
