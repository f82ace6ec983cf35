#pragma once
#include <cmath>
#include <vector>

#include "craton/base/random.h"
#include "craton/base/source.h"

namespace craton {

// A column that counts, one that misses values here and there, and weights that do.
struct Holes {
  explicit Holes(Index rows, double share) {
    for (Index i = 0; i < rows; ++i) {
      const auto draw = static_cast<double>(mix(7, static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
      const bool hole = draw < share;
      values.push_back(static_cast<double>(i));
      values.push_back(hole && i % 3 > 0 ? NAN : 1);
      weights.push_back(hole && i % 3 == 0 ? NAN : static_cast<double>(i + 1));
      if (!hole) kept.push_back(i);
    }
  }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{values.data(), ssize(weights), 2, 2}, .weights = weights}, {}, "holes");
  }
  std::vector<double> values, weights;
  std::vector<Index> kept;
};

}  // namespace craton
