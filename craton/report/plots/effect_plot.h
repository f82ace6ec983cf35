#pragma once
#include <string>

#include "craton/report/plots/fit_plot.h"

namespace craton {

// Does it say something that changes along a column: a number, probabilities of labels, a density?
bool draws_effects(const Fitted& fitted);

// As SVG: a picture for each column, with one scale up: what is predicted along it while the other
// columns stay at their middle. Numbers have the band of their mean, where it is to be told. Of
// many columns the nine along which most changes.
std::string plot_effects(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style = {});

}  // namespace craton
