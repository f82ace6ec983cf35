#pragma once
#include <string>

#include "craton/model/registry.h"
#include "craton/report/plots/fit_plot.h"

namespace craton {

// An SVG picture of a model that predicts numbers. Of rows of one column: the rows, and the line of
// what is predicted along it; above words a line each. Of more columns: the number of each row
// above what is predicted for it, with the line on which they are equal. requires rows with
// targets.
std::string plot_numbers(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style = {});

// The latter of any rows.
std::string plot_predicted(const Fitted& fitted, Source& x, const Exec& exec,
                           const PlotStyle& style = {});

}  // namespace craton
