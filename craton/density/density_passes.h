#pragma once
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/families/choose.h"

// The passes over a table that a density of its columns takes.

namespace craton {

using Columns = std::vector<std::vector<Candidate>>;  // what each column may be

Index levels_of(const Candidate& candidate);  // of a category; 0 for a family of numbers

// One column of a chunk, as doubles.
void copy_column(const Matrix& x, Index column, std::vector<double>& out);

// Where the values of each column lie, those of weight 0 aside. InputError names a column of values
// so large that their squares overflow (kNotFinite), or that differ by so little that they vanish
// (kNoSpread), and weights whose sum is 0 or absurd (kBadWeight): tables/columns.h has the limits.
std::vector<Extent> find_extents(Source& x, const Exec& exec);

// Names the first row whose value a family cannot have, or that is above `most` or infinite.
// requires that there is one.
[[noreturn]] void fail_outside(Source& x, const Exec& exec, Index column, const Family& family,
                               double most, const Extent& extent);

// The statistics of each column for each of its candidates, in their order.
std::vector<Statistics> find_statistics(const Columns& columns, Source& x, const Exec& exec);

// The log-likelihood of each candidate, likewise.
std::vector<double> find_likelihoods(const Columns& columns, Source& x, const Exec& exec);

}  // namespace craton
