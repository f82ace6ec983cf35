#pragma once
#include <span>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// How two columns of numbers go together: Pearson's correlation, and Spearman's, which is that of
// their ranks (of equal values the mean of theirs). From the rows that have a finite value in both.
//
// Every row is looked at, up to kMostRows; of more, one is drawn from each of kMostRows stretches
// of equal length, the same ones every time.

namespace craton {

struct Correlation {
  Index a = 0, b = 0;                // columns of the table
  double pearson = 0, spearman = 0;  // NaN where a column is constant in these rows
  Index rows = 0;
};

struct Correlations {
  static constexpr Index kMostRows = 20000;

  std::vector<Correlation> pairs;  // (0, 1), (0, 2), ..., (1, 2), ... of the columns asked for
  Index rows = 0;                  // that were looked at
};

Correlations correlations(Source& x, std::span<const Index> columns, const Exec& exec);

}  // namespace craton
