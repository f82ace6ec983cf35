#pragma once
#include <string_view>

#include "craton/base/matrix.h"

namespace craton {

// A column of texts in somebody else's memory, in UTF-8: text i is bytes [offsets[i], offsets[i +
// 1]). As in sparse rows, the first offset need not be 0.
struct Texts {
  const char* bytes = nullptr;
  const Index* offsets = nullptr;  // rows + 1 of them
  Index rows = 0;

  std::string_view operator[](Index i) const {
    return {bytes + offsets[i], usize(offsets[i + 1] - offsets[i])};
  }
  Index size_in_bytes() const { return rows == 0 ? 0 : offsets[rows] - offsets[0]; }
  Texts slice(RowRange range) const { return {bytes, offsets + range.first, range.size()}; }
};

}  // namespace craton
