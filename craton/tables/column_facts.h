#pragma once
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// What the columns of a table hold, exactly, whatever its size: for a person who meets it first.

namespace craton {

struct ColumnFacts {
  static constexpr Index kMostDistinct = 10000;  // more are not counted
  static constexpr std::size_t kMostEnds = 8;    // distinct values at either end

  struct Value {
    double value = 0;
    Index rows = 0, first = 0;  // how many have it, and the first of them
    bool operator==(const Value&) const = default;
  };

  Index missing = 0, infinite = 0;
  Index distinct = 0;  // values; -1: more than kMostDistinct

  // Of numbers; NaN of none. Mean and deviation are those of the finite values: sum (x - mean)^2 /
  // (n - 1), NaN of fewer than two.
  double mean = 0, deviation = 0;
  double least = 0, lower_quartile = 0, median = 0, upper_quartile = 0, greatest = 0;
  std::vector<Value> low = {}, high = {};  // the least values, ascending; the greatest, descending
  // Finite values in bars of one width, the first from bars_from; whole numbers of a narrow range
  // have a bar each.
  std::vector<Index> bars = {};
  double bars_from = 0, bar_width = 0;
  bool whole = false;      // every finite value is, and there is one
  bool counts_up = false;  // each row's value is one more than that before it

  std::vector<Index> rows = {}, first = {};  // of a category: of each level; -1: no row has it

  Index numbers() const;  // finite values
};

// Of the first columns, at most `most`. Weights do not count.
std::vector<ColumnFacts> column_facts(Source& x, Index most, const Exec& exec);

}  // namespace craton
