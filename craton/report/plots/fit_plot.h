#pragma once
#include <string>

#include "craton/model/registry.h"

namespace craton {

// The columns to draw across and up; `up` is -1 when there is only one. Where none are given
// (both -1) they are chosen: those that tell most about the groups of the rows.
struct PlotColumns {
  Index across = -1, up = -1;

  static PlotColumns first_two(const Schema& schema) { return {0, schema.size() > 1 ? 1 : -1}; }
};

struct PlotStyle {
  std::string title = {};  // "": what was found, and in which table
  bool soft = false;       // colours mixed by the probabilities of the labels
};

// An SVG picture of the rows, coloured by label, with what the model learned: the ellipses at one
// and two standard deviations of Gaussians, the centres of clusters. One column is drawn as a
// histogram with the density of the mixture and of its components, or the centres. `objective` is
// that of the rows; of models that learn from labels the accuracy is told instead. Models of
// numbers are drawn as number_plot.h says, those of texts as word_plot.h does. requires dense rows
// that the model takes, or texts, with labels or targets if it learns from them.
std::string plot_fit(const Fitted& fitted, Source& x, const PlotColumns& columns, double objective,
                     const Exec& exec, const PlotStyle& style = {});

}  // namespace craton
