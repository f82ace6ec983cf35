#pragma once
#include "cli/parsing/data.h"
#include "craton/report/plots/fit_plot.h"

namespace craton::cli {

// Those of --plot-columns, or those that tell most. Called before the fit: InputError when there
// are none such.
PlotColumns choose_plot_columns(const Command& command, const Data& data);

}  // namespace craton::cli
