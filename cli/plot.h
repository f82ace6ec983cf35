#pragma once
#include <array>
#include <string>

#include "cli/data.h"

namespace craton::cli {

// The columns to draw across and up; `up` is -1 when there is only one.
struct PlotColumns {
  Index across = 0, up = -1;
};

// Those of --plot-columns, or the first two. Called before the fit: InputError when there are none
// such.
PlotColumns choose_plot_columns(const Command& command, const Data& data);

struct PlotStyle {
  std::string title = {};  // "": what was found
  bool soft = false;       // colours mixed by the probabilities of the labels
};

// An SVG picture of the rows, coloured by label, with what the model learned: the ellipses at one
// and two standard deviations of Gaussians, the centres of clusters. One column is drawn as a
// histogram with the density of the mixture and of its components, or the centres. `objective` is
// that of the rows.
std::string plot_fit(const Fitted& fitted, const Data& data, const PlotColumns& columns,
                     double objective, const Exec& exec, const PlotStyle& style = {});

// The fit after each of --plot-stages updates, from one and the same start, and the objective on
// the way, side by side.
std::string plot_stages(const Command& command, const ModelInfo& info,
                        std::span<const NamedOption> options, const Data& data,
                        const PlotColumns& columns, const Exec& exec);

// The objective of a fit, pass by pass. Where there were several starts all are drawn, and the one
// that was kept stands out. What is minimised is drawn as it falls.
std::string draw_traces(const Fitted& fitted, const std::string& title,
                        const std::string& subtitle);
// With a title of its own; `data` is the name of the table.
std::string plot_traces(const Fitted& fitted, const std::string& data);

}  // namespace craton::cli
