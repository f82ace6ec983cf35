#pragma once
#include <span>
#include <string>
#include <string_view>

#include "craton/model/registry.h"
#include "craton/report/plots/fit_plot.h"

// The pictures of a model and rows: one row of a table each, which `craton plot --picture`, Python
// and the docs go through.

namespace craton {

struct Picture {
  std::string_view name, help;
  bool needs_rows;                     // else it is of the model alone, and x may be null
  bool (*able)(const Fitted& fitted);  // whether there is such a picture of the model
  std::string (*draw)(const Fitted& fitted, Source* x, const PlotColumns& columns, const Exec& exec,
                      const PlotStyle& style);
};

std::span<const Picture> pictures();

// As SVG. requires rows as plot_fit() does, or none (null). InputError (kUnknownName, kNotAble)
// where there is no picture of that name, or none of this model: it names those that there are;
// kBadOption where rows are needed.
std::string draw_picture(std::string_view name, const Fitted& fitted, Source* x,
                         const PlotColumns& columns, const Exec& exec, const PlotStyle& style = {});

}  // namespace craton
