#include "craton/report/plots/profile_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "craton/draw/axes.h"
#include "craton/draw/histogram.h"
#include "craton/draw/palette.h"
#include "craton/draw/panels.h"
#include "craton/draw/scatter.h"
#include "craton/draw/stacked_bars.h"
#include "craton/draw/text.h"
#include "craton/report/plots/column_choice.h"
#include "craton/report/plots/marks.h"
#include "craton/report/plots/plane_plot.h"
#include "craton/report/words.h"
#include "craton/select/metric.h"
#include "craton/select/silhouette.h"

namespace craton {
namespace {

constexpr Index kMostProfiles = 9;
constexpr std::size_t kMostSideBySide = 24;  // that are drawn side by side

// Rows by group: the groups with most rows, where they are many.
struct Grouped {
  DrawnRows rows;
  std::vector<std::int32_t> groups;
  std::vector<std::string> names = {};
  std::vector<std::vector<std::size_t>> members = {};  // of each group drawn
  std::vector<int> drawn = {};                         // which they are
  std::string left_out = {};

  Grouped(const Fitted& fitted, Source& x, const Exec& exec)
      : rows(read_drawn_rows(x, exec)), groups(groups_of(fitted, rows, exec)) {
    const std::vector<std::string> all = label_names(fitted);
    std::vector<std::vector<std::size_t>> each(all.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i] >= 0) each[usize(groups[i])].push_back(i);
    }
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (all.size() > kMostSideBySide) {
      std::ranges::stable_sort(order, std::greater{},
                               [&](std::size_t g) { return each[g].size(); });
      order.resize(kMostSideBySide);
      std::ranges::sort(order);
      left_out = fmt::format("; the {} largest of {} groups", kMostSideBySide, all.size());
    }
    for (const std::size_t g : order) {
      names.push_back(all[g]);
      members.push_back(std::move(each[g]));
      drawn.push_back(static_cast<int>(g));
    }
  }
};

double quantile_of(std::span<const double> sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

// A box above each name: quartiles, the median, and lines to the ends.
std::string draw_boxes(const Grouped& grouped, Index column) {
  constexpr double kHalf = 0.32, kTail = 0.05;
  const std::vector<double> values = grouped.rows.column(column);
  Scatter picture{.y_name = grouped.rows.table.schema.column(column).name,
                  .x_names = grouped.names,
                  .small = true};
  for (std::size_t g = 0; g < grouped.names.size(); ++g) {
    std::vector<double> own;
    for (const std::size_t i : grouped.members[g]) {
      if (can_draw(values[i])) own.push_back(values[i]);
    }
    if (own.empty()) continue;
    std::ranges::sort(own);
    const auto at = static_cast<double>(g);
    const double low = quantile_of(own, kTail), first = quantile_of(own, 0.25),
                 median = quantile_of(own, 0.5), third = quantile_of(own, 0.75),
                 high = quantile_of(own, 1 - kTail);
    picture.patches.push_back(
        {at - kHalf, at + kHalf, first, third, lightened(group_fill(grouped.drawn[g]), 0.35),
         fmt::format("{}: median {}, half between {} and {}", grouped.names[g], rounded(median),
                     rounded(first), rounded(third))});
    picture.borders.push_back({at - kHalf, median, at + kHalf, median});
    picture.borders.push_back({at, low, at, first});
    picture.borders.push_back({at, third, at, high});
  }
  picture.patches_to_ends = false;
  picture.borders_count = true;
  return draw_scatter(picture);
}

// What share of each group each word has, groups one below the other.
std::string draw_shares(const Grouped& grouped, Index column) {
  const Column told = grouped.rows.table.schema.column(column);
  const std::vector<double> values = grouped.rows.column(column);
  StackedBars bars{.x_name = "share of " + told.name,
                   .names = grouped.names,
                   .legend = told.levels,
                   .small = true};
  bars.parts.assign(told.levels.size(), std::vector<double>(grouped.names.size(), 0.0));
  for (std::size_t g = 0; g < grouped.names.size(); ++g) {
    double rows = 0;
    for (const std::size_t i : grouped.members[g]) rows += values[i] >= 0 ? 1 : 0;
    for (const std::size_t i : grouped.members[g]) {
      const double code = values[i];
      if (code >= 0 && code < static_cast<double>(told.levels.size()))
        bars.parts[static_cast<std::size_t>(code)][g] += 1 / rows;
    }
  }
  return draw_stacked_bars(bars);
}

std::string group_title(const Fitted& fitted, const Source& x, const PlotStyle& style,
                        std::string_view what) {
  if (!style.title.empty()) return style.title;
  const std::string of = fitted.schema.target ? fitted.schema.target->name
                                              : plural(fitted.model->classes(), "group") +
                                                    " found by " + std::string(fitted.info().name);
  return fmt::format("{}{}: {}", title_start(x.name()), of, what);
}

bool is_words(const DrawnRows& rows, Index column) {
  return rows.table.schema.column(column).kind == ColumnKind::kCategory;
}

}  // namespace

bool has_groups(const Fitted& fitted) {
  return fitted.info().abilities.predict && fitted.schema.size() > 0 &&
         fitted.schema.texts.empty() && fitted.schema.inner.empty() && fitted.model->classes() > 1;
}

std::string plot_profiles(const Fitted& fitted, Source& x, const Exec& exec,
                          const PlotStyle& style) {
  const Grouped grouped(fitted, x, exec);
  std::vector<Index> columns = by_what_they_tell(grouped.rows, grouped.groups);
  const Index all = ssize(columns);
  if (all > kMostProfiles) columns.resize(usize(kMostProfiles));
  std::vector<std::string> pictures;
  for (const Index column : columns) {
    pictures.push_back(is_words(grouped.rows, column) ? draw_shares(grouped, column)
                                                      : draw_boxes(grouped, column));
  }
  std::string what = "what sets them apart";
  if (ssize(columns) < all) {
    what += fmt::format(" ({} of {})", ssize(columns), plural(all, "column"));
  }
  return draw_panels(group_title(fitted, x, style, what + grouped.left_out), pictures,
                     ssize(columns) <= 4 ? 2 : 3);
}

std::string plot_pairs(const Fitted& fitted, Source& x, const Exec& exec, const PlotStyle& style) {
  constexpr Index kMostPaired = 4, kMostPoints = 300;
  const Grouped grouped(fitted, x, exec);
  std::vector<Index> columns = by_what_they_tell(grouped.rows, grouped.groups);
  const Index all = ssize(columns);
  if (all > kMostPaired) columns.resize(usize(kMostPaired));
  const std::vector<Index> some = pick_evenly(grouped.rows.rows(), kMostPoints);
  const auto of_some = [&](const auto& values) {
    std::remove_cvref_t<decltype(values)> picked;
    for (const Index i : some) picked.push_back(values[usize(i)]);
    return picked;
  };
  std::vector<std::string> pictures;
  for (const Index up : columns) {
    for (const Index across : columns) {
      if (up == across) {
        pictures.push_back(is_words(grouped.rows, up) ? draw_shares(grouped, up)
                                                      : draw_boxes(grouped, up));
        continue;
      }
      Scatter picture{.small = true};
      add_points(picture, grouped.rows, {across, up});
      picture.x = of_some(picture.x);
      picture.y = of_some(picture.y);
      picture.group = of_some(grouped.groups);
      pictures.push_back(draw_scatter(picture));
    }
  }
  std::string what = "columns by pairs";
  if (ssize(columns) < all) {
    what += fmt::format(" ({} of {} that tell most)", ssize(columns), grouped_digits(all));
  }
  return draw_panels(group_title(fitted, x, style, what), pictures,
                     static_cast<int>(std::max<Index>(1, ssize(columns))));
}

bool has_uncertainty(const Fitted& fitted) {
  return has_groups(fitted) && fitted.info().abilities.predict_log_proba &&
         fitted.schema.size() > 1;
}

std::string plot_uncertainty(const Fitted& fitted, Source& x, const PlotColumns& columns,
                             const Exec& exec, const PlotStyle& style) {
  constexpr double kUnsure = 0.2, kLeastSize = 0.02;
  const DrawnRows rows = read_drawn_rows(x, exec);
  const std::vector<std::int32_t> found = labels(fitted, rows.table, exec);
  const std::vector<double> shares = probabilities(fitted, rows.table, exec);
  const std::size_t k = usize(fitted.model->classes());
  Scatter picture{.group = found, .legend = label_names(fitted)};
  Index unsure = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto own = std::span(shares).subspan(i * k, k);
    const double left = 1 - *std::ranges::max_element(own);
    picture.size.push_back(std::max(kLeastSize, left));
    unsure += left > kUnsure ? 1 : 0;
  }
  add_points(picture, rows, columns.across < 0 ? telling_columns(rows, found) : columns);
  picture.title = group_title(
      fitted, x, style,
      fmt::format("{} of {} less certain than 80 %", unsure, plural(rows.rows(), "row")));
  picture.subtitle = rows.told() + "; the larger a point, the less certain its label";
  return draw_scatter(picture);
}

bool has_silhouettes(const Fitted& fitted) {
  if (!has_groups(fitted) || fitted.info().abilities.labels) return false;
  for (Index j = 0; j < fitted.schema.size(); ++j) {
    if (fitted.schema.column(j).kind != ColumnKind::kNumber) return false;
  }
  return true;
}

std::string plot_silhouettes(const Fitted& fitted, Source& x, const Exec& exec,
                             const PlotStyle& style) {
  constexpr Index kMostCompared = 3000, kMostBarsDrawn = 400;
  DrawnRows rows = read_drawn_rows(x, exec);
  if (rows.rows() > kMostCompared) {
    const std::vector<Index> some = pick_evenly(rows.rows(), kMostCompared);
    Array fewer{{kMostCompared, rows.table.x.cols()}, {}};
    for (const Index i : some) {
      const double* const row = rows.table.x.view().row(i);
      fewer.values.insert(fewer.values.end(), row, row + fewer.cols());
    }
    rows.table.x = std::move(fewer);
    rows.table.weights.clear();
    rows.labels.clear();
  }
  MemorySource source = rows.source();
  const HeldOut out(*fitted.model, source, exec);
  const std::span<const std::int32_t> found = out.predicted();
  std::vector<double> s(found.size());
  silhouettes({out.seen_rows(), found, fitted.model->classes()}, s, exec);
  const double mean = std::accumulate(s.begin(), s.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, s.size()));
  std::vector<std::size_t> order(s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return found[a] != found[b] ? found[a] > found[b] : s[a] < s[b];
  });
  const std::vector<std::string> names = label_names(fitted);
  Scatter picture{
      .title = group_title(fitted, x, style, fmt::format("silhouette {:.3g}", mean)),
      .subtitle = fmt::format("{}; below 0: nearer to another group than to its own", rows.told()),
      .x_name = "silhouette of each row",
      .y_name = "rows, by group",
      .legend = names,
      .legend_areas = true};
  double at = 0;
  for (const Index i : pick_evenly(ssize(order), kMostBarsDrawn)) {
    const std::size_t row = order[usize(i)];
    picture.patches.push_back(
        {std::min(0.0, s[row]), std::max(0.0, s[row]), at, at + 1.1, group_fill(found[row]),
         fmt::format("{}, row {}: {:.3g}", names[usize(found[row])], row, s[row])});
    ++at;
  }
  picture.borders.push_back({mean, 0, mean, at});
  return draw_scatter(picture);
}

}  // namespace craton
