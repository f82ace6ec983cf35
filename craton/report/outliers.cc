#include "craton/report/outliers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/report/words.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

std::vector<Note> notes_on_trimming(const TrimmedFit& fit, const Source& x) {
  std::vector<Note> notes;
  if (!fit.same.empty()) {
    notes.push_back({"one-value", fmt::format("left out {}: nearly all rows have one value there",
                                              listed(fit.same))});
  }
  if (fit.rows < x.shape().rows) {
    notes.push_back({"sampled", fmt::format("fitted to {} of {} rows, evenly drawn; all are scored",
                                            fit.rows, x.shape().rows)});
  }
  for (const Index size : fit.apart) {
    notes.push_back(
        {"group-apart",
         fmt::format("a group of {} apart from the rest counts as strange", plural(size, "row"))});
  }
  for (const auto& [name, value] : fit.fitted.options) {
    const auto* const text = std::get_if<std::string>(&value);
    if (name == "fill" && text != nullptr && *text == "median") {
      notes.push_back({"filled", "missing values are filled in with the median"});
    }
  }
  return notes;
}

}  // namespace

Outliers find_outliers(Source& x, const Exec& exec, const OutlierOptions& options) {
  Outliers found{.fit = fit_trimmed(x, options.trim, exec)};
  View view(x);
  Selection selection;
  for (const Index from : found.fit.columns) selection.columns.push_back({.from = from});
  view.select(std::move(selection)).unlabel();
  found.scores = find_row_scores(found.fit.fitted, view, exec, options.scores);
  found.few = std::ranges::count_if(found.scores.tails,
                                    [&](double tail) { return tail < options.trim.strange; });
  found.by_chance = options.trim.strange * static_cast<double>(x.shape().rows);
  found.notes = notes_on_trimming(found.fit, x);
  return found;
}

std::string Outliers::model_text() const {
  return fmt::format("{} ({}) by BIC, fitted without the strangest {} of {}",
                     plural(fit.components, "component"), fit.fitted.info().name, fit.left_out,
                     plural(fit.rows, "row"));
}

std::string Outliers::count_text() const {
  const double rows = static_cast<double>(scores.usual.size());
  return fmt::format(
      "{} of {} less probable than {:.3g}% of what the model draws; {:.0f} would be "
      "by chance",
      few,
      few == 1 ? plural(ssize(scores.usual), "row") + " is"
               : plural(ssize(scores.usual), "row") + " are",
      100 * (1 - by_chance / rows), std::round(by_chance));
}

ResultTable Outliers::rows(const Source& x) const { return row_score_table(scores, fit.fitted, x); }

ResultTable Outliers::strangest(const Source& x, Index most) const {
  ResultTable table = strangest_rows(scores, fit.fitted, x, most);
  // Which of the components a row belongs to least badly tells nobody why it is strange.
  std::erase_if(table.columns, [](const ResultColumn& column) {
    return column.name == "label" || column.name == "probability";
  });
  return table;
}

}  // namespace craton
