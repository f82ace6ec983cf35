#pragma once
#include <string>

#include "craton/report/plots/fit_plot.h"

// Pictures of groups that a model found, and of groups that rows have.

namespace craton {

bool has_groups(const Fitted& fitted);  // labels, found or learned

// As SVG: a picture for each column. Of numbers a box for each group: from the first to the third
// quartile, with a line at the median, and lines to where 5 % of the rows lie beyond; of words the
// shares of each group. Of many columns the nine that tell most about the groups.
std::string plot_profiles(const Fitted& fitted, Source& x, const Exec& exec,
                          const PlotStyle& style = {});

// The rows in each pair of the four columns that tell most, with the histogram of each.
std::string plot_pairs(const Fitted& fitted, Source& x, const Exec& exec,
                       const PlotStyle& style = {});

// The rows, larger the less certain their label is: 1 less its probability.
bool has_uncertainty(const Fitted& fitted);
std::string plot_uncertainty(const Fitted& fitted, Source& x, const PlotColumns& columns,
                             const Exec& exec, const PlotStyle& style = {});

// How well each row lies in its group, by silhouettes (select/silhouette.h), group by group.
bool has_silhouettes(const Fitted& fitted);
std::string plot_silhouettes(const Fitted& fitted, Source& x, const Exec& exec,
                             const PlotStyle& style = {});

}  // namespace craton
