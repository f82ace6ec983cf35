#include "craton/report/number_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/scatter.h"
#include "craton/engine/for_each.h"
#include "craton/report/words.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr Index kAlong = 200;  // places along a line

// The number of each row; NaN: it has none.
std::vector<double> read_targets(Source& x, const Exec& exec) {
  std::vector<double> targets(usize(x.shape().rows), std::numeric_limits<double>::quiet_NaN());
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::copy(chunk.targets.begin(), chunk.targets.end(), targets.begin() + chunk.first_row);
  });
  return targets;
}

std::vector<double> read_only_column(Source& x, const Exec& exec) {
  std::vector<double> values(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    visit_dense(chunk.x, [&](const auto& rows) {
      for (Index i = 0; i < rows.rows; ++i)
        values[usize(chunk.first_row + i)] = static_cast<double>(rows.row(i)[0]);
    });
  });
  return values;
}

std::vector<double> predictions(const Fitted& fitted, Source& x, const Exec& exec) {
  std::vector<double> numbers(usize(x.shape().rows));
  fitted.model->predict_numbers(x, numbers, exec);
  return numbers;
}

bool one_number(const Schema& schema) {
  return schema.size() == 1 && schema.column(0).kind == ColumnKind::kNumber;
}

std::string title_of(const Fitted& fitted, const Source& x, const PlotStyle& style) {
  if (!style.title.empty()) return style.title;
  return fmt::format("{}{} by {}", title_start(x.name()), fitted.schema.target->name,
                     fitted.info().name);
}

std::string subtitle_of(const Fitted& fitted, Source& x, const Exec& exec) {
  return fmt::format("{}, R\u00b2 {}", plural(x.shape().rows, "row"),
                     shown(fitted.model->score(x, exec)));
}

// Between what one more row, and the mean of such rows, lies with probability 0.95; none where that
// is not to be told.
void add_bands(Scatter& picture, const Fitted& fitted, Source& rows,
               const std::vector<double>& along, const Exec& exec) {
  ResultTable table;
  try {
    table = fitted.model->intervals(rows, 0.95, exec);
  } catch (const InputError& error) {
    if (error.code() == Code::kNotAble) return;
    throw;
  }
  for (const auto& [low, high] : {std::pair{"low", "high"}, std::pair{"mean_low", "mean_high"}}) {
    picture.bands.push_back({along, *table.find(low)->numbers(), *table.find(high)->numbers()});
  }
}

// What is predicted from the least value of the column to the greatest.
void add_prediction(Scatter& picture, const Fitted& fitted, const Exec& exec) {
  AxisRange range;
  for (const double value : picture.x) range.add(value);
  if (range.empty) return;
  Array grid{{kAlong, 1}, std::vector<double>(usize(kAlong))};
  for (Index i = 0; i < kAlong; ++i) {
    grid.values[usize(i)] =
        range.low + range.width() * static_cast<double>(i) / static_cast<double>(kAlong - 1);
  }
  Table table{.schema = {fitted.schema.columns}, .x = grid};
  MemorySource rows = table.source();
  add_border(picture, grid.values, predictions(fitted, rows, exec));
  if (fitted.info().abilities.intervals) add_bands(picture, fitted, rows, grid.values, exec);
}

}  // namespace

std::string plot_numbers(const Fitted& fitted, Source& x, const Exec& exec,
                         const PlotStyle& style) {
  Scatter picture{.title = title_of(fitted, x, style), .subtitle = subtitle_of(fitted, x, exec)};
  const std::string& target = fitted.schema.target->name;
  picture.y = read_targets(x, exec);
  picture.y_name = target;
  if (one_number(x.schema())) {
    picture.x_name = x.schema().name(0);
    picture.x = read_only_column(x, exec);
    add_prediction(picture, fitted, exec);
    return draw_scatter(picture);
  }
  picture.x_name = target + ", as predicted";
  picture.x = predictions(fitted, x, exec);
  AxisRange both;
  for (const double value : picture.x) both.add(value);
  if (!both.empty) add_border(picture, {{both.low, both.high}}, {{both.low, both.high}});
  return draw_scatter(picture);
}

}  // namespace craton
