#pragma once
#include <string>

#include "craton/draw/scatter.h"
#include "craton/report/plots/fit_plot.h"
#include "craton/report/plots/marks.h"

// What a model says of rows that differ in two columns, for pictures.

namespace craton {

// The rows as points, by axes of numbers, whole numbers or words.
void add_points(Scatter& picture, const DrawnRows& rows, const PlotColumns& columns);

// The ground in the colours of the labels, mixed by their probabilities where the model has them,
// and lines where the label changes; of a density without labels the darker the denser. All other
// columns are at their middle, which the subtitle says.
void add_ground(Scatter& picture, const Fitted& fitted, const DrawnRows& rows,
                const PlotColumns& columns, const Exec& exec);

// "; hgt at 5.02, eggs at 4 and 3 more columns at their middle", or "" where all are drawn.
std::string others_told(const DrawnRows& rows, std::span<const double> middle,
                        const PlotColumns& columns);

}  // namespace craton
