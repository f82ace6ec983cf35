#pragma once
#include <string>

#include "craton/report/plots/fit_plot.h"

namespace craton {

// An SVG picture of the words that speak most for each class, or cluster, of a model of texts
// (class_words.h): a panel of bars each. InputError (kNotAble) where these are not known.
std::string plot_words(const Fitted& fitted, const PlotStyle& style = {});

}  // namespace craton
