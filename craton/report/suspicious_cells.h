#pragma once
#include <string>
#include <vector>

#include "craton/base/schema.h"
#include "craton/tables/column_facts.h"

// Cells that a person should look at before a fit, by what their column holds elsewhere:
//
//   codes   nines (99, -999, 9999.9), -1 and 0 at an end of a column, that stand apart from the
//           rest or in many more rows than the values beside them: they may say "missing"
//   far     a number more than kFar robust deviations from the median, which are (quartile -
//   median)
//           / 0.6745 on its side, and at least (upper - lower quartile) / 1.349; of a skewed column
//           of positive numbers, of its logarithm. Where more than one row in a hundred is so far,
//           or more values than can be listed, that is the shape of the column, and nothing is said
//   infinite numbers
//   words   that differ from others by capitals and blanks alone, or may say "missing"
//
// Nothing is changed: what the cells mean, their owner knows.

namespace craton {

struct SuspiciousCell {
  static constexpr double kFar = 6;

  Index column = 0;           // of the schema
  std::string value;          // a date, of a column of days
  Index rows = 0, first = 0;  // that hold it, and the first of them, from 0
  std::string why;
};

// By column; codes first, then what is far, the farthest first.
std::vector<SuspiciousCell> suspicious_cells(Index column, const Column& is,
                                             const ColumnFacts& facts, bool dates = false);

}  // namespace craton
