#include "craton/report/plots/effect_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/histogram.h"
#include "craton/draw/panels.h"
#include "craton/draw/scatter.h"
#include "craton/draw/stacked_bars.h"
#include "craton/draw/text.h"
#include "craton/report/plots/column_choice.h"
#include "craton/report/plots/marks.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr Index kMostPanels = 9, kMostLooked = 200;  // columns drawn; columns looked at for that
constexpr Index kAlongEffect = 120;                  // places of a curve

// What is said along one column: lines of numbers, one for each label or one alone.
struct Effect {
  PictureAxis axis;
  std::vector<std::vector<double>> lines = {};
  std::vector<double> low = {}, high = {};  // of the mean; empty: not to be told

  double change() const {
    double most = 0;
    for (const std::vector<double>& line : lines) {
      AxisRange range;
      for (const double v : line) range.add(v);
      most = std::max(most, range.width());
    }
    return most;
  }
};

void add_band(Effect& effect, const Fitted& fitted, const Table& at, const Exec& exec) {
  if (!fitted.info().abilities.intervals) return;
  MemorySource rows = at.source();
  try {
    const ResultTable table = fitted.model->intervals(rows, 0.95, exec);
    const ResultColumn *const low = table.find("mean_low"), *const high = table.find("mean_high");
    if (low == nullptr || high == nullptr) return;
    effect.low = *low->numbers();
    effect.high = *high->numbers();
  } catch (const InputError& error) {
    if (error.code() != Code::kNotAble) throw;
  }
}

// Of the density along a column, with the others at their middle: over half as far again as the
// rows reach, on either side.
double integral_of(const Fitted& fitted, const DrawnRows& rows, const PictureAxis& along,
                   std::span<const double> middle, const Exec& exec) {
  constexpr Index kFine = 1000;
  constexpr double kReach = 0.5;
  PictureAxis axis = axis_of(fitted, rows, along.column, middle, kFine, kReach, exec);
  if (axis.look == Look::kCounts) {  // as many again above
    const std::size_t n = axis.at.size();
    const double step = n < 2 ? 1 : axis.at[1] - axis.at[0];
    for (std::size_t i = 0; i < n; ++i) axis.at.push_back(axis.at.back() + step);
  }
  const std::vector<double> found = densities(fitted, rows_along(fitted, middle, axis), exec);
  double sum = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool numbers = axis.look == Look::kNumbers;
    if (numbers && i == 0) continue;
    sum += numbers ? (axis.at[i] - axis.at[i - 1]) * (found[i] + found[i - 1]) / 2 : found[i];
  }
  const bool thinned = axis.look == Look::kCounts && axis.at.size() > 1;
  return thinned ? sum * (axis.at[1] - axis.at[0]) : sum;
}

Effect effect_of(const Fitted& fitted, const DrawnRows& rows, Index column,
                 std::span<const double> middle, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  Effect effect{.axis = axis_of(fitted, rows, column, middle, kAlongEffect, 0, exec)};
  const Table at = rows_along(fitted, middle, effect.axis);
  if (able.predict_numbers) {
    effect.lines.push_back(numbers(fitted, at, exec));
    add_band(effect, fitted, at, exec);
  } else if (able.predict_log_proba) {
    const std::size_t k = usize(fitted.model->classes());
    const std::vector<double> shares = probabilities(fitted, at, exec);
    effect.lines.resize(k);
    for (std::size_t i = 0; i < shares.size(); ++i) effect.lines[i % k].push_back(shares[i]);
  } else {
    effect.lines.push_back(densities(fitted, at, exec));
    const double all = integral_of(fitted, rows, effect.axis, middle, exec);
    for (double& v : effect.lines[0]) v /= all > 0 ? all : 1;
  }
  return effect;
}

// Estimates at words, each with its interval.
std::string draw_at_words(const Effect& effect, Scatter picture) {
  for (std::size_t i = 0; i < effect.axis.at.size(); ++i) {
    picture.x_names.push_back(effect.axis.told(i));
    const auto at = static_cast<double>(i);
    picture.x.push_back(at);
    picture.y.push_back(effect.lines[0][i]);
    if (effect.low.empty()) continue;
    picture.borders.push_back({at, effect.low[i], at, effect.high[i]});
  }
  picture.spread = false;
  return draw_scatter(picture);
}

std::string draw_number(const Effect& effect, const std::string& y_name, const AxisRange& shared) {
  Scatter picture{.x_name = effect.axis.name,
                  .y_name = y_name,
                  .y_range = shared,
                  .borders_count = true,
                  .small = true};
  if (effect.axis.look == Look::kCategories) return draw_at_words(effect, std::move(picture));
  add_border(picture, effect.axis.at, effect.lines[0]);
  if (!effect.low.empty()) picture.bands.push_back({effect.axis.at, effect.low, effect.high});
  return draw_scatter(picture);
}

std::string draw_lines(const Effect& effect, const std::vector<std::string>& legend,
                       const std::string& y_name, const AxisRange& shared, const DrawnRows& rows) {
  if (effect.axis.look == Look::kCategories) {
    StackedBars bars{.x_name = y_name, .y_name = effect.axis.name, .legend = legend, .small = true};
    for (std::size_t i = 0; i < effect.axis.at.size(); ++i) {
      bars.names.push_back(effect.axis.told(i));
    }
    bars.parts = effect.lines;
    return draw_stacked_bars(bars);
  }
  Histogram picture{.x_name = effect.axis.name,
                    .y_name = y_name,
                    .x = rows.column(effect.axis.column),
                    .group = rows.labels,
                    .counts = false,
                    .whole = effect.axis.look == Look::kCounts,
                    .legend = legend,
                    .y_most = shared.high,
                    .small = true};
  for (std::size_t c = 0; c < effect.lines.size(); ++c) {
    picture.curves.push_back({effect.axis.at, effect.lines[c],
                              effect.lines.size() == 1 ? -1 : static_cast<int>(c),
                              effect.axis.look == Look::kCounts});
  }
  return draw_histogram(picture);
}

}  // namespace

bool draws_effects(const Fitted& fitted) {
  const Abilities& able = fitted.info().abilities;
  const bool says = able.predict_numbers || (able.labels && able.predict_log_proba) ||
                    (able.score_samples && !able.predict);
  return says && fitted.schema.size() > 0 && fitted.schema.texts.empty() &&
         fitted.schema.inner.empty();
}

std::string plot_effects(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style) {
  const Abilities& able = fitted.info().abilities;
  const DrawnRows rows = read_drawn_rows(x, exec);
  const std::vector<double> middle = middle_of(rows);
  std::vector<Index> columns = by_what_they_tell(rows, rows.labels);
  const Index all = ssize(columns);
  if (all > kMostLooked) columns.resize(usize(kMostLooked));
  std::vector<Effect> effects;
  for (const Index column : columns) {
    effects.push_back(effect_of(fitted, rows, column, middle, exec));
  }
  if (able.predict) std::ranges::stable_sort(effects, std::greater{}, &Effect::change);
  if (able.predict_numbers) std::ranges::stable_sort(effects, std::greater{}, &Effect::change);
  if (ssize(effects) > kMostPanels) effects.resize(usize(kMostPanels));
  const bool number = able.predict_numbers, density = !able.predict && !number;
  AxisRange shared;
  if (able.predict) shared.add(1);
  for (const Effect& effect : effects) {
    if (density) continue;  // of other units each
    for (const auto* const line : {&effect.low, &effect.high}) {
      for (const double v : *line) shared.add(v);
    }
    for (const std::vector<double>& line : effect.lines) {
      for (const double v : line) shared.add(v);
    }
  }
  const std::string y_name = number    ? fitted.schema.target->name + ", as predicted"
                             : density ? "density, given the others"
                                       : "probability";
  std::vector<std::string> pictures;
  for (const Effect& effect : effects) {
    pictures.push_back(
        number ? draw_number(effect, y_name, padded(shared, 0.05))
               : draw_lines(effect, able.predict ? label_names(fitted) : std::vector<std::string>{},
                            y_name, density ? AxisRange{} : shared, rows));
  }
  std::string title = style.title;
  if (title.empty()) {
    title = fmt::format("{}{} along each column, the others at their middle", title_start(x.name()),
                        number    ? fitted.schema.target->name
                        : density ? "density"
                                  : fitted.schema.target->name);
    if (ssize(effects) < all) {
      title += fmt::format(" ({} of {})", ssize(effects), grouped_digits(all));
    }
  }
  const int across = ssize(effects) <= 4 ? 2 : 3;
  return draw_panels(title, pictures, across);
}

}  // namespace craton
