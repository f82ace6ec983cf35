#pragma once
#include <span>

#include "craton/report/plots/fit_plot.h"
#include "craton/report/plots/marks.h"

namespace craton {

// The two columns that tell most about the groups of the rows: first the one with the greatest
// mutual information, then the one that adds most to it,
//
//   I(x; g) = sum p(x, g) log(p(x, g) / p(x) p(g)),
//
// where numbers are cut at their quantiles. Ties, and rows without groups, go to the first columns.
// `up` is -1 where there is one column only.
PlotColumns telling_columns(const DrawnRows& rows, std::span<const std::int32_t> groups);

// By the labels of the rows, or by those that the model gives them.
PlotColumns telling_columns(const Fitted& fitted, Source& x, const Exec& exec);
std::vector<std::int32_t> groups_of(const Fitted& fitted, const DrawnRows& rows, const Exec& exec);

// All columns, those that tell most by themselves first.
std::vector<Index> by_what_they_tell(const DrawnRows& rows, std::span<const std::int32_t> groups);

}  // namespace craton
