#pragma once
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

}  // namespace craton
