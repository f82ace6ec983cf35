#include "craton/report/plots/column_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "craton/draw/axes.h"
#include "craton/draw/histogram.h"
#include "craton/draw/stacked_bars.h"
#include "craton/report/plots/drawn_parameters.h"

namespace craton {
namespace {

constexpr Index kAlongColumn = 400;     // places of a curve
constexpr double kMostWhole = 400;      // whole numbers that bars stand about
constexpr double kBesideColumn = 0.05;  // of the range of the rows, beyond them

// What the model says at the places of the axis: a line for each label, or the whole alone.
struct Said {
  std::vector<double> whole;               // the density; empty: there is none
  std::vector<std::vector<double>> parts;  // of each label: its part of the density, or its share
};

Said ask(const Fitted& fitted, const PictureAxis& axis, std::span<const double> middle,
         const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  const Index k = fitted.model->classes();
  const Table at = rows_along(fitted, middle, axis);
  Said said;
  if (able.score_samples) said.whole = densities(fitted, at, exec);
  if (!able.predict_log_proba || (k < 2 && able.score_samples)) return said;
  const std::vector<double> shares = probabilities(fitted, at, exec);
  for (Index c = 0; c < k; ++c) {
    std::vector<double>& part = said.parts.emplace_back();
    for (std::size_t i = 0; i < axis.at.size(); ++i) {
      const double share = shares[i * usize(k) + usize(c)];
      const double of = able.score_samples ? said.whole[i] : 1;
      part.push_back(of == 0 ? 0 : of * share);
    }
  }
  return said;
}

// The share of the rows at each level, by weight; and of those with label g.
std::vector<double> shares_of(const DrawnRows& rows, const PictureAxis& axis) {
  std::vector<double> shares(axis.at.size(), 0.0);
  const std::vector<double> values = rows.column(axis.column);
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0) || values[i] >= static_cast<double>(shares.size())) continue;
    const double weight = rows.table.weights.empty() ? 1 : rows.table.weights[i];
    shares[static_cast<std::size_t>(values[i])] += weight;
    total += weight;
  }
  for (double& share : shares) share /= total > 0 ? total : 1;
  return shares;
}

std::string plot_words_of(const Fitted& fitted, const DrawnRows& rows, const PictureAxis& axis,
                          const Said& said, PictureText text) {
  const bool density = !said.whole.empty();
  StackedBars bars{.title = std::move(text.title),
                   .subtitle = std::move(text.subtitle),
                   .x_name = density ? "probability" : "probability of each label",
                   .y_name = axis.name};
  for (std::size_t i = 0; i < axis.at.size(); ++i) bars.names.push_back(axis.told(i));
  if (said.parts.empty()) {
    bars.parts.push_back(said.whole);
  } else {
    bars.parts = said.parts;
    bars.legend = label_names(fitted);
  }
  if (density) {
    bars.marks = shares_of(rows, axis);
    bars.mark_name = "share of the rows";
    bars.subtitle += "; dark marks: shares of the rows";
  }
  return draw_stacked_bars(bars);
}

// Close to where the rows of each label lie a curve may be narrower than the distance of places.
void refine(PictureAxis& axis, const DrawnRows& rows, std::span<const std::int32_t> groups) {
  constexpr Index kOfEach = 41, kMostGroups = 50;
  std::map<std::int32_t, std::vector<double>> values;
  const std::vector<double> all = rows.column(axis.column);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (can_draw(all[i])) values[groups.empty() ? 0 : groups[i]].push_back(all[i]);
  }
  if (ssize(values) > kMostGroups) return;
  for (auto& [group, own] : values) {
    std::ranges::sort(own);
    for (const Index i : pick_evenly(ssize(own), kOfEach)) axis.at.push_back(own[usize(i)]);
  }
  std::ranges::sort(axis.at);
  axis.at.erase(std::unique(axis.at.begin(), axis.at.end()), axis.at.end());
}

// Places where the label changes, each between two numbers that are hardly apart.
std::vector<double> changes(const Fitted& fitted, const PictureAxis& axis,
                            std::span<const double> middle, const Exec& exec) {
  constexpr int kHalvings = 40;
  const auto label_at = [&](std::vector<double> at) {
    return labels(fitted, rows_along(fitted, middle, {.column = axis.column, .at = std::move(at)}),
                  exec);
  };
  const std::vector<std::int32_t> along = label_at(axis.at);
  std::vector<double> low, high;
  std::vector<std::int32_t> below;
  for (std::size_t i = 1; i < along.size(); ++i) {
    if (along[i] == along[i - 1]) continue;
    low.push_back(axis.at[i - 1]);
    high.push_back(axis.at[i]);
    below.push_back(along[i - 1]);
  }
  for (int halving = 0; halving < kHalvings && !low.empty(); ++halving) {
    std::vector<double> between;
    for (std::size_t i = 0; i < low.size(); ++i) between.push_back(std::midpoint(low[i], high[i]));
    const std::vector<std::int32_t> there = label_at(between);
    for (std::size_t i = 0; i < low.size(); ++i) {
      (there[i] == below[i] ? low : high)[i] = between[i];
    }
  }
  return high;
}

void add_centres(Histogram& picture, const Fitted& fitted) {
  for (const Parameter& p : drawn_parameters(*fitted.model)) {
    if (p.name != "cluster_centers") continue;
    for (Index c = 0; c < p.value.rows(); ++c) {
      picture.centres.push_back({p.value.values[usize(c)], static_cast<int>(c)});
    }
  }
}

}  // namespace

std::string plot_column(const Fitted& fitted, const DrawnRows& rows,
                        std::vector<std::int32_t> groups, PictureText text, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  const std::vector<double> middle = middle_of(rows);
  const bool density = able.score_samples;
  PictureAxis axis =
      axis_of(fitted, rows, 0, middle, kAlongColumn, density ? kBesideColumn : 0, exec);
  if (axis.look == Look::kNumbers && density) refine(axis, rows, groups);
  const Said said = ask(fitted, axis, middle, exec);
  if (axis.look == Look::kCategories && (density || !said.parts.empty())) {
    return plot_words_of(fitted, rows, axis, said, std::move(text));
  }
  const bool steps = axis.look == Look::kCounts;
  Histogram picture{.title = std::move(text.title),
                    .subtitle = std::move(text.subtitle),
                    .x_name = axis.name,
                    .x = rows.column(0),
                    .weight = rows.table.weights,
                    .group = std::move(groups)};
  picture.whole = all_whole(picture.x) && axis.look != Look::kCategories &&
                  (steps || axis.at.back() - axis.at.front() <= kMostWhole);
  if (steps) picture.y_name = "probability";
  if (able.predict) picture.legend = label_names(fitted);
  if (density) {
    picture.curves.push_back({axis.at, said.whole, -1, steps});
    if (!said.parts.empty()) picture.subtitle += "; the black line is their sum";
  } else if (!said.parts.empty()) {
    picture.counts = false;
    picture.y_name = "probability of each label";
  }
  for (std::size_t c = 0; c < said.parts.size(); ++c) {
    picture.curves.push_back({axis.at, said.parts[c], static_cast<int>(c), steps});
  }
  add_centres(picture, fitted);
  if (able.predict && !steps && fitted.model->classes() > 1 &&
      (able.labels || said.parts.empty())) {
    picture.borders = changes(fitted, axis, middle, exec);
    if (!picture.borders.empty()) picture.subtitle += "; labels change at the dashed lines";
  }
  return draw_histogram(picture);
}

}  // namespace craton
