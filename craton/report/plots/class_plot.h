#pragma once
#include <string>

#include "craton/report/plots/fit_plot.h"

// Pictures of how well labels are told, of any classifier and rows with labels. Where classes are
// many, those that are told worst are named, and the others faint.

namespace craton {

bool tells_labels(const Fitted& fitted);         // learns from labels
bool tells_probabilities(const Fitted& fitted);  // and has their probabilities

// As SVG. The share of positive rows found over that of others taken for such, with the area;
// precision over recall, with the mean precision; the share of positive rows found among those with
// the highest probabilities; and how often labels come true over how probable they were.
std::string plot_roc(const Fitted& fitted, Source& x, const Exec& exec, const PlotStyle& style);
std::string plot_precision_recall(const Fitted& fitted, Source& x, const Exec& exec,
                                  const PlotStyle& style);
std::string plot_lift(const Fitted& fitted, Source& x, const Exec& exec, const PlotStyle& style);
std::string plot_calibration(const Fitted& fitted, Source& x, const Exec& exec,
                             const PlotStyle& style);

// True labels above each other, what they were taken for side by side: the darker the larger the
// share of the true label, with the counts.
std::string plot_confusion(const Fitted& fitted, Source& x, const Exec& exec,
                           const PlotStyle& style);

}  // namespace craton
