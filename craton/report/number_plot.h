#pragma once
#include <string>

#include "craton/model/registry.h"
#include "craton/report/fit_plot.h"

namespace craton {

// An SVG picture of a model that predicts numbers. Of rows of one column: the rows, and the line of
// what is predicted along it. Of more: the number of each row above what is predicted for it, with
// the line on which they are equal. requires rows with targets.
std::string plot_numbers(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style = {});

}  // namespace craton
