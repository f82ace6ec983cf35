#include "craton/report/plots/plane_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include "craton/draw/axes.h"
#include "craton/draw/palette.h"
#include "craton/draw/text.h"
#include "craton/report/plots/borders.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr double kBesidePlane = 0.04;  // of the range of the rows, beyond them
constexpr double kShades = 12;         // of a density: few, so that patches are large
constexpr double kGroundLight = 0.6;   // how far the ground is on its way to white

// Where the cell of each place begins, and the last ends: half way between places.
std::vector<double> cell_ends(const PictureAxis& axis) {
  const std::vector<double>& at = axis.at;
  std::vector<double> ends;
  const double half = at.size() < 2 ? 0.5 : (at[1] - at[0]) / 2;
  ends.push_back(at.front() - (axis.look == Look::kNumbers ? 0 : half));
  for (std::size_t i = 1; i < at.size(); ++i) ends.push_back(std::midpoint(at[i - 1], at[i]));
  ends.push_back(at.back() + (axis.look == Look::kNumbers ? 0 : half));
  return ends;
}

// What the ground is at each place: its colour, and the label or density that is told.
struct Ground {
  std::string colour;  // "": nothing is known there
  std::string name;
  double value = 0;
};

// Of some rows; a density is not coloured yet.
std::vector<Ground> ground_of(const Fitted& fitted, const Table& at, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  std::vector<Ground> ground(usize(at.x.rows()));
  if (!able.predict) {
    const std::vector<double> found = densities(fitted, at, exec);
    for (std::size_t i = 0; i < found.size(); ++i) ground[i] = {"", "density", found[i]};
    return ground;
  }
  const std::vector<std::string> names = label_names(fitted);
  const std::size_t k = names.size();
  if (!able.predict_log_proba) {
    const std::vector<std::int32_t> found = labels(fitted, at, exec);
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] < 0) continue;
      ground[i] = {lightened(group_fill(found[i]), kGroundLight), names[usize(found[i])], 1};
    }
    return ground;
  }
  const std::vector<double> found = probabilities(fitted, at, exec);
  for (std::size_t i = 0; i < ground.size(); ++i) {
    const std::span<const double> shares = std::span(found).subspan(i * k, k);
    if (!std::isfinite(shares[0])) continue;
    const auto best = static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
    ground[i] = {lightened(mixed_colour(shares), kGroundLight), names[best], shares[best]};
  }
  return ground;
}

// Strip by strip, so that rows of very many columns need no room for all.
std::vector<Ground> ground_of(const Fitted& fitted, std::span<const double> middle,
                              const PictureAxis& across, const PictureAxis& up, const Exec& exec) {
  std::vector<Ground> ground;
  std::vector<double> row(middle.begin(), middle.end());
  for (const double at : up.at) {
    row[usize(up.column)] = at;
    std::ranges::move(ground_of(fitted, rows_along(fitted, row, across), exec),
                      std::back_inserter(ground));
  }
  if (fitted.info().abilities.predict) return ground;
  const double most = std::ranges::max_element(ground, {}, &Ground::value)->value;
  for (Ground& one : ground) {
    if (most > 0 && one.value > 0)
      one.colour = shade(std::round(kShades * one.value / most) / kShades);
  }
  return ground;
}

// Of all places that look alike: from which value to which.
using Looks = std::map<std::pair<std::string, std::string>, AxisRange>;

Looks looks_of(const std::vector<Ground>& ground) {
  Looks looks;
  for (const Ground& one : ground) looks[{one.colour, one.name}].add(one.value);
  return looks;
}

std::string told_of(const Ground& ground, const AxisRange& values) {
  std::string told = fmt::format("{} {:.3g}", ground.name, values.low);
  if (fmt::format("{:.3g}", values.high) != fmt::format("{:.3g}", values.low))
    told += fmt::format(" to {:.3g}", values.high);
  return told;
}

// Places beside each other that look alike are one cell, if they are numbers.
void add_patches(Scatter& picture, const std::vector<Ground>& ground, const PictureAxis& across,
                 const PictureAxis& up) {
  const std::vector<double> x = cell_ends(across), y = cell_ends(up);
  const std::size_t n = across.at.size();
  const Looks looks = looks_of(ground);
  for (std::size_t j = 0; j < up.at.size(); ++j) {
    for (std::size_t i = 0, end = 0; i < n; i = end) {
      const Ground& first = ground[j * n + i];
      end = i + 1;
      while (across.look == Look::kNumbers && end < n &&
             ground[j * n + end].colour == first.colour && ground[j * n + end].name == first.name) {
        ++end;
      }
      if (first.colour.empty()) continue;
      Patch patch{x[i],     x[end],       y[j],
                  y[j + 1], first.colour, told_of(first, looks.at({first.colour, first.name}))};
      if (across.look == Look::kCategories && up.look == Look::kCategories) {
        const std::string place = across.told(i) + ", " + up.told(j) + ": ";
        patch.told = place + told_of(first, {first.value, first.value, false});
      }
      picture.patches.push_back(std::move(patch));
    }
  }
}

// Fewer patches where each is much work: a model of many columns and labels.
double fineness(const Fitted& fitted, std::span<const double> middle, double patches) {
  constexpr double kMostWork = 2e9, kCoarsest = 0.1;
  const auto labels = static_cast<double>(std::max<Index>(1, fitted.model->classes()));
  const double work = patches * static_cast<double>(middle.size()) * labels;
  return std::clamp(std::sqrt(kMostWork / work), kCoarsest, 1.0);
}

}  // namespace

void add_points(Scatter& picture, const DrawnRows& rows, const PlotColumns& columns) {
  const auto prepare = [&](Index column, std::string& name, std::vector<double>& values,
                           std::vector<std::string>& names) {
    const Column told = rows.table.schema.column(column);
    name = told.name;
    values = rows.column(column);
    if (told.kind == ColumnKind::kCategory) names = told.levels;
  };
  prepare(columns.across, picture.x_name, picture.x, picture.x_names);
  prepare(columns.up, picture.y_name, picture.y, picture.y_names);
}

std::string others_told(const DrawnRows& rows, std::span<const double> middle,
                        const PlotColumns& columns) {
  constexpr Index kMostTold = 2;
  std::string told;
  Index left = 0, named = 0;
  for (Index j = 0; j < ssize(middle); ++j) {
    if (j == columns.across || j == columns.up) continue;
    if (named == kMostTold) {
      ++left;
      continue;
    }
    const Column column = rows.table.schema.column(j);
    const auto code = static_cast<std::size_t>(middle[usize(j)]);
    const bool word = column.kind == ColumnKind::kCategory && code < column.levels.size();
    told += fmt::format("{}{} at {}", named++ == 0 ? "; " : ", ", column.name,
                        word ? column.levels[code] : rounded(middle[usize(j)]));
  }
  if (left > 0) told += fmt::format(" and {} at their middle", plural(left, "more column"));
  return told;
}

void add_ground(Scatter& picture, const Fitted& fitted, const DrawnRows& rows,
                const PlotColumns& columns, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  if (rows.rows() == 0 || !(able.predict || able.score_samples)) return;
  const bool soft = able.predict_log_proba || !able.predict;
  const std::vector<double> middle = middle_of(rows);
  const double fine = fineness(fitted, middle, soft ? 72 * 48 : 240 * 160);
  const auto wide = static_cast<Index>((soft ? 72 : 240) * fine);  // patches of numbers
  const auto high = static_cast<Index>((soft ? 48 : 160) * fine);
  const PictureAxis across =
      axis_of(fitted, rows, columns.across, middle, wide, kBesidePlane, exec);
  const PictureAxis up = axis_of(fitted, rows, columns.up, middle, high, kBesidePlane, exec);
  picture.x_whole = across.look == Look::kCounts;
  picture.y_whole = up.look == Look::kCounts;
  add_patches(picture, ground_of(fitted, middle, across, up, exec), across, up);
  if (able.predict) {
    picture.subtitle += soft ? "; the ground: how probable each label is"
                             : "; the ground: the label that is predicted";
  } else {
    picture.subtitle += "; the ground: the darker the denser";
    if (picture.group.empty()) picture.group.assign(picture.x.size(), 1);  // seen on blue
  }
  picture.subtitle += others_told(rows, middle, columns);
  const bool lines = across.look == Look::kNumbers && up.look == Look::kNumbers;
  if (!lines || !able.predict_log_proba || fine < 1) return;
  picture.borders =
      border_lines(fitted, middle, columns,
                   {across.at.front(), across.at.back(), up.at.front(), up.at.back()}, exec);
  if (!picture.borders.empty()) picture.subtitle += "; labels change at the dark line";
}

}  // namespace craton
