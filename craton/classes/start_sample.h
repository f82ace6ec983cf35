#pragma once
#include <vector>

#include "craton/tables/columns.h"

// Rows to choose a start in: all of a small table, some of a large one, in memory.

namespace craton {

// Rows that are drawn by a hash of their values in units of their columns, so that neither their
// order, nor weights for repeats, nor units of measurement matter. Those of one hash are one row.
struct StartSample {
  Array x;  // rows x d, in the order of their hashes: the first of them are a sample again
  std::vector<double> weights;

  Index size() const { return x.rows(); }
  StartSample first(Index count) const;  // rows, at most
  MemorySource source() const { return MemorySource({.x = x.view(), .weights = weights}); }
};

// Weights whose sum is the number of rows that they tell as much as: (sum w)^2 / sum w^2.
std::vector<double> rows_that_count(const std::vector<double>& weights);

// About `size` rows, or all when there are not many more. units: of the columns, positive.
StartSample draw_sample(Source& x, const ColumnStatistics& columns,
                        const std::vector<double>& units, Index size, const Exec& exec);

}  // namespace craton
