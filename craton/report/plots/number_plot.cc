#include "craton/report/plots/number_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/scatter.h"
#include "craton/draw/text.h"
#include "craton/report/plots/marks.h"
#include "craton/report/plots/plane_plot.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr Index kAlong = 200;  // places along a line

std::string title_of(const Fitted& fitted, const Source& x, const PlotStyle& style) {
  if (!style.title.empty()) return style.title;
  return fmt::format("{}{} by {}", title_start(x.name()), fitted.schema.target->name,
                     fitted.info().name);
}

// NaN where the rows have none.
std::vector<double> targets_of(const DrawnRows& rows) {
  if (!rows.table.targets.empty()) return rows.table.targets;
  return std::vector<double>(usize(rows.rows()), std::numeric_limits<double>::quiet_NaN());
}

std::string subtitle_of(const Fitted& fitted, Source& x, const DrawnRows& rows, const Exec& exec) {
  return fmt::format("{}, R\u00b2 {}", rows.told(), rounded(fitted.model->score(x, exec)));
}

// Between what one more row, and the mean of such rows, lies with probability 0.95; none where that
// is not to be told.
std::vector<Band> bands_of(const Fitted& fitted, const Table& at, const PictureAxis& axis,
                           const Exec& exec) {
  if (!fitted.info().abilities.intervals) return {};
  MemorySource rows = at.source();
  ResultTable table;
  try {
    table = fitted.model->intervals(rows, 0.95, exec);
  } catch (const InputError& error) {
    if (error.code() == Code::kNotAble) return {};
    throw;
  }
  std::vector<Band> bands;
  for (const auto& [low, high] : {std::pair{"low", "high"}, std::pair{"mean_low", "mean_high"}}) {
    bands.push_back({axis.at, *table.find(low)->numbers(), *table.find(high)->numbers()});
  }
  return bands;
}

// At each word a line at what is predicted, as wide as the room of the rows there.
void add_levels(Scatter& picture, const std::vector<double>& predicted, std::vector<Band> bands) {
  constexpr double kHalf = 0.4;
  for (Band& band : bands) {
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const auto at = static_cast<double>(i);
      picture.bands.push_back(
          {{at - kHalf, at + kHalf}, {band.low[i], band.low[i]}, {band.high[i], band.high[i]}});
    }
  }
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const auto at = static_cast<double>(i);
    picture.borders.push_back({at - kHalf, predicted[i], at + kHalf, predicted[i]});
  }
}

// What is predicted from the least value of the column to the greatest.
void add_prediction(Scatter& picture, const Fitted& fitted, const DrawnRows& rows,
                    const Exec& exec) {
  const std::vector<double> middle = middle_of(rows);
  const PictureAxis axis = axis_of(fitted, rows, 0, middle, kAlong, 0, exec);
  const Table at = rows_along(fitted, middle, axis);
  const std::vector<double> predicted = numbers(fitted, at, exec);
  std::vector<Band> bands = bands_of(fitted, at, axis, exec);
  if (!bands.empty()) {
    picture.subtitle += "; bands of 95 %: of one more row, and of the mean within it";
  }
  if (axis.look == Look::kCategories) {
    add_levels(picture, predicted, std::move(bands));
    return;
  }
  add_border(picture, axis.at, predicted);
  picture.bands = std::move(bands);
}

}  // namespace

std::string plot_numbers(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style) {
  if (x.schema().size() != 1) return plot_predicted(fitted, x, exec, style);
  const DrawnRows rows = read_drawn_rows(x, exec);
  Scatter picture{.title = title_of(fitted, x, style),
                  .subtitle = subtitle_of(fitted, x, rows, exec)};
  add_points(picture, rows, {0, 0});
  picture.y = targets_of(rows);
  picture.y_name = fitted.schema.target->name;
  picture.y_names.clear();
  if (rows.rows() > 0) add_prediction(picture, fitted, rows, exec);
  return draw_scatter(picture);
}

std::string plot_predicted(const Fitted& fitted, Source& x, const Exec& exec,
                           const PlotStyle& style) {
  const DrawnRows rows = read_drawn_rows(x, exec);
  const std::string& target = fitted.schema.target->name;
  Scatter picture{.title = title_of(fitted, x, style),
                  .subtitle = subtitle_of(fitted, x, rows, exec) + "; on the line both are equal",
                  .x_name = target + ", as predicted",
                  .y_name = target,
                  .x = numbers(fitted, rows.table, exec),
                  .y = targets_of(rows)};
  AxisRange both;
  for (const double value : picture.x) both.add(value);
  if (!both.empty) add_border(picture, {{both.low, both.high}}, {{both.low, both.high}});
  return draw_scatter(picture);
}

}  // namespace craton
