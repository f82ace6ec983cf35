#pragma once
#include <string>

#include "craton/draw/curve.h"
#include "craton/model/registry.h"
#include "craton/report/plots/fit_plot.h"

// Pictures of densities of numbers.

namespace craton {

// A model of rows without labels that has a density, of one or two columns of numbers; of
// histograms any column will do.
bool draws_density(const Fitted& fitted);

// As SVG. Of one column: the curve of the density, the bars of a histogram, between what these lie
// with probability 0.95 place by place, where that is to be told, and a tick for each row. Of two
// columns: the rows, and lines that enclose 25, 50, 75 and 95 % of them where the density is
// highest (Hyndman, "Computing and graphing highest density regions", 1996).
std::string plot_density(const Fitted& fitted, Source& x, const PlotColumns& columns,
                         const Exec& exec, const PlotStyle& style = {});

// A kernel density estimate of one column.
bool draws_bandwidths(const Fitted& fitted);

// As SVG: its curve with a quarter of its bandwidth, a half, all of it, twice and four times that,
// one picture each, with a tick for each row.
std::string plot_bandwidths(const Fitted& fitted, Source& x, const Exec& exec,
                            const PlotStyle& style = {});

// The density along its only column, for the terminal too. requires draws_density() of one column.
Series density_curve(const Fitted& fitted, double low, double high, Index places, const Exec& exec);

// For the terminal: the density of a model of one column of numbers, a line a bin of a histogram, a
// whole number, or a place of a curve, where the model's own draws lie. "" of other models.
std::string density_chart(const Fitted& fitted, int width = 78);

}  // namespace craton
