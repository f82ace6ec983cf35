#pragma once
#include <span>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// Order statistics of columns, exactly, whatever the size of the table: it is read in passes, and
// what they sum does not grow with the rows. Missing values are left out; a row of weight 2 counts
// twice.

namespace craton {

// For each level in [0, 1] the quantile of every column, linear between the two values it lies
// between, as NumPy has it; NaN of a column without values. requires dense rows.
std::vector<std::vector<double>> quantiles(Source& x, std::span<const double> levels,
                                           const Exec& exec);

// The most frequent value of some columns, the least of equals; NaN of one without values.
std::vector<double> most_frequent(Source& x, std::span<const Index> columns, const Exec& exec);

}  // namespace craton
