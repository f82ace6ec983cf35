#pragma once
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// What the columns of a table hold, exactly, whatever its size: for a person who meets it first.

namespace craton {

struct ColumnFacts {
  static constexpr Index kMostDistinct = 10000;  // more are not counted

  Index missing = 0;
  Index distinct = 0;                          // values; -1: more than kMostDistinct
  double least = 0, median = 0, greatest = 0;  // of numbers; NaN of none
  std::vector<Index> rows = {};                // of a category: of each level
  bool counts_up = false;                      // each row's value is one more than that before it
};

// Of the first columns, at most `most`. Weights do not count.
std::vector<ColumnFacts> column_facts(Source& x, Index most, const Exec& exec);

}  // namespace craton
