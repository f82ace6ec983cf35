#include "craton/report/plots/density_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/histogram.h"
#include "craton/draw/panels.h"
#include "craton/draw/scatter.h"
#include "craton/draw/terminal.h"
#include "craton/engine/for_each.h"
#include "craton/model/fit_steps.h"
#include "craton/report/plots/drawn_rows.h"
#include "craton/report/plots/marks.h"
#include "craton/report/words.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

constexpr Index kCurvePlaces = 600;              // along a curve
constexpr Index kSurfaceSide = 90;               // along each side of a surface
constexpr Index kRanked = 2000;                  // rows whose densities say where lines are
constexpr double kAround = 0.15;                 // of the range of the rows, beyond them
constexpr double kWithin95 = 1.959963984540054;  // deviations

struct ColumnRows {
  std::vector<double> values, weights;  // of one column
};

ColumnRows column_rows(Source& x, Index column, const Exec& exec) {
  const std::size_t n = usize(x.shape().rows);
  ColumnRows rows{std::vector<double>(n), std::vector<double>(n, 1)};
  for_rows(x, exec, [&](const Chunk& chunk) {
    visit_dense(chunk.x, [&](const auto& values) {
      for (Index i = 0; i < values.rows; ++i) {
        const std::size_t at = usize(chunk.first_row + i);
        rows.values[at] = static_cast<double>(values.row(i)[column]);
        rows.weights[at] = chunk.weight(i);
      }
    });
  });
  return rows;
}

AxisRange around(const std::vector<double>& values) {
  AxisRange range;
  for (const double v : values) range.add(v);
  return padded(range, kAround);
}

Table table_of(const Fitted& fitted, std::vector<double> values) {
  const Index d = fitted.schema.size();
  return {.schema = {fitted.schema.columns, std::nullopt, fitted.schema.unnamed},
          .x = Array{{ssize(values) / d, d}, std::move(values)}};
}

std::vector<double> log_densities(const AnyModel& model, Table&& table, const Exec& exec) {
  MemorySource rows = table.source();
  std::vector<double> log_density(usize(rows.shape().rows));
  model.score_samples(rows, log_density, exec);
  return log_density;
}

std::string density_title(const Fitted& fitted, const Source& x, const PlotStyle& style) {
  if (!style.title.empty()) return style.title;
  return title_start(x.name()) + std::string(fitted.info().help);
}

bool is_histogram(const Fitted& fitted) { return fitted.info().name == "histogram"; }

bool all_numbers(const Schema& schema) {
  for (Index j = 0; j < schema.size(); ++j) {
    if (schema.column(j).kind != ColumnKind::kNumber) return false;
  }
  return true;
}

// Between what the density of rows like these lies, by a model that says so.
void add_curve_band(Histogram& picture, const Fitted& fitted, const std::vector<double>& at,
                    const Exec& exec) {
  if (!fitted.info().abilities.intervals) return;
  const Table table = table_of(fitted, at);
  MemorySource rows = table.source();
  const ResultTable found = fitted.model->intervals(rows, 0.95, exec);
  const ResultColumn *const low = found.find("low"), *const high = found.find("high");
  if (low == nullptr || high == nullptr) return;
  Band band{at, {}, {}};
  for (std::size_t i = 0; i < at.size(); ++i) {
    band.low.push_back(std::exp(low->numbers()->at(i)));
    band.high.push_back(std::exp(high->numbers()->at(i)));
  }
  picture.bands.push_back(std::move(band));
  picture.subtitle += "; the grey band has 95 % of it, place by place";
}

const std::vector<double>& values_of(const std::vector<Parameter>& all, std::string_view name) {
  return std::ranges::find(all, name, &Parameter::name)->value.values;
}

// Bars of a column, whose shares p of n rows lie between (p + z^2 / 2n -+ z sqrt(p (1 - p) / n +
// z^2 / 4n^2)) / (1 + z^2 / n) with probability 0.95 (Wilson 1927).
void add_cells(Histogram& picture, const Fitted& fitted, Index column) {
  const std::vector<Parameter> all = parameters_of(*fitted.model);
  const std::vector<double>&kinds = values_of(all, "kinds"), &edges = values_of(all, "edges"),
        &counts = values_of(all, "counts");
  const double alpha = values_of(all, "alpha")[0];
  std::size_t edge = 0, count = 0;
  for (Index j = 0; j < column; ++j) {
    const auto cells = static_cast<std::size_t>(kinds[usize(3 * j) + 1]);
    count += cells;
    if (kinds[usize(3 * j)] < 2) edge += cells + 1;
  }
  const double* const of = &kinds[usize(3 * column)];
  const auto cells = static_cast<std::size_t>(of[1]);
  const Affine* const affine = fitted.model->steps().affine();
  const double scale = affine == nullptr ? 1 : affine->scale_of(column);
  const double centre = affine == nullptr ? 0 : affine->centre_of(column);
  for (std::size_t k = 0; k <= cells; ++k) {
    const double end = of[0] < 2 ? edges[edge + k] : of[2] + static_cast<double>(k) - 0.5;
    picture.edges.push_back(end * scale + centre);
  }
  const double rows = std::accumulate(counts.begin() + static_cast<Index>(count),
                                      counts.begin() + static_cast<Index>(count + cells), 0.0);
  const double total = rows + alpha * static_cast<double>(cells), square = kWithin95 * kWithin95;
  Band band;
  for (std::size_t k = 0; k < cells; ++k) {
    const double p = (counts[count + k] + alpha) / total;
    const double width = picture.edges[k + 1] - picture.edges[k];
    const double middle = p + square / (2 * total), unit = 1 + square / total;
    const double reach = kWithin95 * std::sqrt(p * (1 - p) / total + square / (4 * total * total));
    picture.heights.push_back(p / width);
    for (const double end : {picture.edges[k], picture.edges[k + 1]}) {
      band.x.push_back(end);
      band.low.push_back(std::max(middle - reach, 0.0) / unit / width);
      band.high.push_back((middle + reach) / unit / width);
    }
  }
  picture.bands.push_back(std::move(band));
  picture.subtitle += "; the grey band has the height of each bar with probability 0.95";
}

std::string plot_line(const Fitted& fitted, Source& x, Index column, const Exec& exec,
                      const PlotStyle& style) {
  ColumnRows rows = column_rows(x, column, exec);
  const DrawnRows drawn = read_drawn_rows(x, exec);
  Histogram picture{.title = density_title(fitted, x, style),
                    .subtitle = plural(x.shape().rows, "row"),
                    .x_name = x.schema().name(column),
                    .counts = false};
  if (is_histogram(fitted)) {
    add_cells(picture, fitted, column);
  } else if (const std::vector<double> middle = middle_of(drawn);
             lies_on_counts(fitted, drawn, column, middle, exec)) {
    const PictureAxis axis = axis_of(fitted, drawn, column, middle, kCurvePlaces, 0, exec);
    const Table at = rows_along(fitted, middle, axis);
    picture.curves.push_back({axis.at, densities(fitted, at, exec), -1, true});
    picture.y_name = "probability";
    picture.counts = picture.whole = true;
  } else {
    const AxisRange range = around(rows.values);
    Series curve = density_curve(fitted, range.low, range.high, kCurvePlaces, exec);
    add_curve_band(picture, fitted, curve.x, exec);
    picture.curves.push_back({std::move(curve.x), std::move(curve.y), -1});
  }
  picture.x = std::move(rows.values);
  picture.weight = std::move(rows.weights);
  return draw_histogram(picture);
}

// log densities above which the given shares of the rows lie.
std::vector<double> levels_of(const Fitted& fitted, const ColumnRows& across, const ColumnRows& up,
                              std::span<const double> shares, const Exec& exec) {
  std::vector<double> rows, weights;
  for (const Index i : pick_evenly(ssize(across.values), kRanked)) {
    if (!std::isfinite(across.values[usize(i)]) || !std::isfinite(up.values[usize(i)])) continue;
    rows.push_back(across.values[usize(i)]);
    rows.push_back(up.values[usize(i)]);
    weights.push_back(across.weights[usize(i)]);
  }
  const std::vector<double> log_density =
      log_densities(*fitted.model, table_of(fitted, std::move(rows)), exec);
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return log_density[i]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> levels;
  for (const double share : shares) {
    double seen = 0;
    for (const std::size_t i : order) {
      seen += weights[i];
      if (seen < share * total) continue;
      levels.push_back(log_density[i]);
      break;
    }
  }
  return levels;
}

std::string plot_surface(const Fitted& fitted, Source& x, const PlotColumns& columns,
                         const Exec& exec, const PlotStyle& style) {
  const ColumnRows first = column_rows(x, 0, exec), second = column_rows(x, 1, exec);
  const bool turned = columns.across == 1;
  const AxisRange of_first = around(first.values), of_second = around(second.values);
  Surface surface{evenly(of_first.low, of_first.high, kSurfaceSide),
                  evenly(of_second.low, of_second.high, kSurfaceSide),
                  {}};
  std::vector<double> grid;
  for (const double b : surface.y) {
    for (const double a : surface.x) grid.insert(grid.end(), {a, b});
  }
  surface.values = log_densities(*fitted.model, table_of(fitted, std::move(grid)), exec);
  double least = INFINITY;  // in place of what has no logarithm: lines pass near it
  for (const double v : surface.values) {
    if (std::isfinite(v)) least = std::min(least, v);
  }
  for (double& v : surface.values) {
    if (!std::isfinite(v)) v = least - 10;
  }
  Scatter picture{.title = density_title(fitted, x, style),
                  .subtitle = fmt::format("{}; lines enclose 95, 75, 50 and 25 % of them",
                                          plural(x.shape().rows, "row")),
                  .x_name = x.schema().name(columns.across),
                  .y_name = x.schema().name(columns.up),
                  .x = turned ? second.values : first.values,
                  .y = turned ? first.values : second.values};
  constexpr std::array kShares{0.95, 0.75, 0.5, 0.25};
  for (const double level : levels_of(fitted, first, second, kShares, exec)) {
    ContourLevel contour{contour_lines(surface, level)};
    for (ContourLine& line : contour.lines) {
      if (turned) std::swap(line.x, line.y);
    }
    picture.contours.push_back(std::move(contour));
  }
  return draw_scatter(picture);
}

}  // namespace

Series density_curve(const Fitted& fitted, double low, double high, Index places,
                     const Exec& exec) {
  const std::vector<double> at = evenly(low, high, places);
  return {.name = "density", .x = at, .y = densities(fitted, table_of(fitted, at), exec)};
}

bool draws_density(const Fitted& fitted) {
  const Abilities& able = fitted.info().abilities;
  const Index d = fitted.schema.size();
  if (!able.score_samples || able.labels || !all_numbers(fitted.schema)) return false;
  if (is_histogram(fitted)) {
    const Affine* const affine = fitted.model->steps().affine();
    return fitted.model->steps().empty() || affine != nullptr;
  }
  return d == 1 || d == 2;
}

std::string plot_density(const Fitted& fitted, Source& x, const PlotColumns& columns,
                         const Exec& exec, const PlotStyle& style) {
  const PlotColumns drawn = columns.across < 0 ? PlotColumns::first_two(fitted.schema) : columns;
  const bool surface = drawn.up >= 0 && fitted.schema.size() == 2;
  return surface ? plot_surface(fitted, x, drawn, exec, style)
                 : plot_line(fitted, x, drawn.across, exec, style);
}

std::string density_chart(const Fitted& fitted, int width) {
  constexpr Index kDraws = 2000, kBeyond = kDraws / 200;
  constexpr int kLines = 16, kMostBins = 30;
  constexpr double kPadding = 0.1;
  const Steps& steps = fitted.model->steps();
  const bool able = fitted.info().abilities.sample && fitted.schema.size() == 1;
  if (!able || !draws_density(fitted) || !(steps.empty() || steps.affine() != nullptr)) return "";
  Series chart{.name = "density", .x = {}, .y = {}, .best_label = "highest"};
  Histogram cells;
  if (is_histogram(fitted)) add_cells(cells, fitted, 0);
  if (is_histogram(fitted) && ssize(cells.heights) <= kMostBins) {
    for (std::size_t k = 0; k < cells.heights.size(); ++k) {
      chart.x.push_back(std::midpoint(cells.edges[k], cells.edges[k + 1]));
    }
    chart.y = std::move(cells.heights);
  } else {
    try {
      std::vector<double> draws = fitted.model->sample(kDraws, 0).x.values;
      std::ranges::sort(draws);
      const bool whole = all_whole(draws);
      AxisRange range;
      range.add(draws[usize(kBeyond)]);
      range.add(draws[usize(kDraws - 1 - kBeyond)]);
      if (!whole || range.width() == 0) range = padded(range, kPadding);
      chart.x = make_ticks(range, kLines, whole ? TickKind::kWhole : TickKind::kReal).at;
      chart.y = densities(fitted, table_of(fitted, chart.x), {.threads = 1});
    } catch (const InputError&) {
      return "";  // draws overflow
    }
  }
  chart.best = std::ranges::max_element(chart.y) - chart.y.begin();
  Curve curve{.x_name = fitted.schema.name(0), .from_zero = true};
  curve.series.push_back(std::move(chart));
  return "density\n" + draw_terminal_curve(curve, width);
}

bool draws_bandwidths(const Fitted& fitted) {
  if (fitted.info().name != "kde" || fitted.schema.size() != 1) return false;
  const auto kernel = parameter_of(*fitted.model, "kernel");  // a function stays with its model
  return kernel && kernel->text != "function" && draws_density(fitted);
}

std::string plot_bandwidths(const Fitted& fitted, Source& x, const Exec& exec,
                            const PlotStyle& style) {
  const ColumnRows rows = column_rows(x, 0, exec);
  const AxisRange range = around(rows.values);
  const std::vector<Parameter> learned = fitted.model->parameters();
  const Affine* const affine = fitted.model->steps().affine();
  const double unit = affine == nullptr ? 1 : affine->scale_of(0);
  std::vector<std::string> pictures;
  for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
    std::vector<Parameter> parameters = learned;
    double bandwidth = 0;
    for (Parameter& p : parameters) {
      if (p.name != "bandwidth") continue;
      for (double& h : p.value.values) bandwidth = h *= factor;
    }
    Fitted other{.model = fitted.info().from_parameters(ParameterList(parameters)),
                 .report = {},
                 .options = fitted.options,
                 .schema = fitted.schema};
    const Series curve = density_curve(other, range.low, range.high, kCurvePlaces, exec);
    Histogram picture{.title = fmt::format("bandwidth {}{}", shown(bandwidth * std::abs(unit)),
                                           factor == 1 ? ", the one of the model" : ""),
                      .x_name = x.schema().name(0),
                      .x = rows.values,
                      .weight = rows.weights,
                      .curves = {{curve.x, curve.y, -1}},
                      .counts = false};
    pictures.push_back(draw_histogram(picture));
  }
  return draw_panels(density_title(fitted, x, style), pictures, 3);
}

}  // namespace craton
