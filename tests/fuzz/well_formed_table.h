#pragma once
#include "craton/base/source.h"
#include "tests/fuzz/fuzz.h"

namespace craton::fuzz {

// The names and values of a table fit together.
inline void check_table(const Table& table) {
  const Array& x = table.x;
  if (table.sparse.offsets.empty()) {
    if (x.shape.size() != 2 || x.rows() < 0 || x.cols() != table.schema.size()) fail("shape");
    if (x.rows() * x.cols() != ssize(x.values)) fail("values");
  } else {
    const auto& [offsets, columns, values] = table.sparse;
    if (offsets.front() != 0 || offsets.back() != ssize(values)) fail("offsets");
    if (columns.size() != values.size()) fail("columns");
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] < offsets[i - 1]) fail("offsets descend");
      for (Index e = offsets[i - 1]; e < offsets[i]; ++e) {
        const std::int32_t column = columns[usize(e)];
        if (column < 0 || column >= table.schema.size()) fail("a column that does not exist");
        if (e > offsets[i - 1] && column <= columns[usize(e - 1)]) fail("columns do not ascend");
      }
    }
  }
}

}  // namespace craton::fuzz
