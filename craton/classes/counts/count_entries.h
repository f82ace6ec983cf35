#pragma once
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// The stored values of a row, dense or sparse, with their columns.
template <class T, class F>
void for_entries(const Dense<T>& x, Index row, const F& f) {
  for (Index j = 0; j < x.cols; ++j) f(j, static_cast<double>(x.row(row)[j]));
}
template <class T, class F>
void for_entries(const Sparse<T>& x, Index row, const F& f) {
  for (Index e = x.offsets[row]; e < x.offsets[row + 1]; ++e) {
    f(Index{x.columns[e]}, static_cast<double>(x.values[e]));
  }
}

struct Entry {
  Index column;
  double value;
};

template <class X>
std::vector<Entry> entries_of(const X& x, Index row) {
  std::vector<Entry> entries;
  for_entries(x, row, [&](Index j, double value) { entries.push_back({j, value}); });
  return entries;
}

}  // namespace craton
