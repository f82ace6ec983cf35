#include "craton/report/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/draw/axes.h"
#include "craton/draw/curve.h"
#include "craton/draw/intervals.h"
#include "craton/draw/scatter.h"
#include "craton/model/class_words.h"
#include "craton/model/fit_steps.h"
#include "craton/report/plots/class_plot.h"
#include "craton/report/plots/density_plot.h"
#include "craton/report/plots/effect_plot.h"
#include "craton/report/plots/number_plot.h"
#include "craton/report/plots/profile_plot.h"
#include "craton/report/plots/word_plot.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const ResultTable* find_named(const std::vector<ResultTable>& tables, std::string_view name) {
  const auto found = std::ranges::find(tables, name, &ResultTable::name);
  return found == tables.end() ? nullptr : &*found;
}

const ResultColumn::Numbers* numbers_of(const ResultTable& table, std::string_view name) {
  const ResultColumn* const column = table.find(name);
  return column == nullptr ? nullptr : column->numbers();
}

std::string title_of(const Fitted& fitted, const PlotStyle& style, std::string_view what) {
  if (!style.title.empty()) return style.title;
  return fmt::format("{} by {}: {}", fitted.schema.target->name, fitted.info().name, what);
}

// Of pictures of rows that choose their columns themselves.
template <std::string (*kPlot)(const Fitted&, Source&, const Exec&, const PlotStyle&)>
std::string draw_rows(const Fitted& fitted, Source* x, const PlotColumns&, const Exec& exec,
                      const PlotStyle& style) {
  return kPlot(fitted, *x, exec, style);
}

// ---- fit

bool any_fit(const Fitted&) { return true; }

std::string draw_fit(const Fitted& fitted, Source* x, const PlotColumns& columns, const Exec& exec,
                     const PlotStyle& style) {
  const Abilities& able = fitted.info().abilities;
  const double objective = able.labels || able.numbers ? 0 : fitted.model->score(*x, exec);
  return plot_fit(fitted, *x, columns, objective, exec, style);
}

// ---- words

bool has_words(const Fitted& fitted) { return class_words(fitted).has_value(); }

std::string draw_words(const Fitted& fitted, Source*, const PlotColumns&, const Exec&,
                       const PlotStyle& style) {
  return plot_words(fitted, style);
}

// ---- coefficients

bool has_coefficients(const Fitted& fitted) {
  const std::vector<ResultTable> tables = fitted.model->tables(fitted.schema);
  const ResultTable* const table = find_named(tables, "coefficients");
  return table != nullptr && fitted.schema.target && numbers_of(*table, "coefficient") != nullptr;
}

std::string draw_coefficients(const Fitted& fitted, Source*, const PlotColumns&, const Exec&,
                              const PlotStyle& style) {
  const std::vector<ResultTable> tables = fitted.model->tables(fitted.schema);
  const ResultTable& table = *find_named(tables, "coefficients");
  const auto &estimates = *numbers_of(table, "coefficient"), *low = numbers_of(table, "from 95%"),
             *high = numbers_of(table, "to");
  Intervals picture{.title = title_of(fitted, style, "coefficients"), .x_name = table.title};
  if (low != nullptr) picture.subtitle = "with intervals of 95 %";
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    Interval interval{.name = "", .estimate = estimates[i]};
    bool intercept = false;
    for (const ResultColumn& column : table.columns) {  // of which label, and of which term
      const auto* const words = column.words();
      if (words == nullptr) continue;
      interval.name += (interval.name.empty() ? "" : " ") + words->at(i);
      intercept = intercept || words->at(i) == "(intercept)";
    }
    if (intercept) continue;  // of other units than the rest
    interval.low = low == nullptr ? kNone : low->at(i);
    interval.high = high == nullptr ? kNone : high->at(i);
    picture.intervals.push_back(std::move(interval));
  }
  return draw_intervals(picture);
}

// ---- path

bool has_path(const Fitted& fitted) {
  return find_named(fitted.model->more_tables(fitted.schema), "path_coefficients") != nullptr;
}

// The coefficient of each term over log10 alpha; the strength that was chosen is marked. An alpha
// of 0 has no place on it.
std::string draw_path(const Fitted& fitted, Source*, const PlotColumns&, const Exec&,
                      const PlotStyle& style) {
  constexpr std::size_t kMostNamed = 8;
  const std::vector<ResultTable> tables = fitted.model->more_tables(fitted.schema);
  const ResultTable& table = *find_named(tables, "path_coefficients");
  const ResultColumn::Numbers& alphas = *numbers_of(table, "alpha");
  Curve picture{.title = title_of(fitted, style, "coefficients as alpha grows"),
                .x_name = "log10 alpha",
                .y_name = "coefficient"};
  double chosen = kNone;
  for (const Parameter& p : fitted.model->parameters()) {
    if (p.name == "alpha" && p.value.values.size() == 1) chosen = p.value.values[0];
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < alphas.size(); ++i) {
    if (alphas[i] > 0) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return alphas[i]; });
  for (const ResultColumn& column : table.columns) {
    if (column.name == "alpha" || column.numbers() == nullptr) continue;
    Series series{.name = column.name, .x = {}, .y = {}};
    for (const std::size_t i : order) {
      if (alphas[i] == chosen) series.best = std::ssize(series.x);
      series.x.push_back(std::log10(alphas[i]));
      series.y.push_back(column.numbers()->at(i));
    }
    picture.series.push_back(std::move(series));
  }
  // Many terms cannot all be told by colour: those that end farthest from 0 are.
  const auto size_of = [](const Series& s) { return s.y.empty() ? 0 : std::abs(s.y.front()); };
  std::ranges::stable_sort(picture.series, std::greater{}, size_of);
  for (std::size_t i = kMostNamed; i < picture.series.size(); ++i) {
    picture.series[i].faint = true;
    picture.series[i].best = -1;
  }
  picture.subtitle = std::isnan(chosen)
                         ? table.title
                         : fmt::format("{}; chosen: alpha {}", table.title, shown(chosen));
  return draw_curve(picture);
}

// ---- residuals and leverage

bool has_residuals(const Fitted& fitted) { return fitted.info().abilities.predict_numbers; }

bool has_leverage(const Fitted& fitted) {
  return has_residuals(fitted) && fitted.info().abilities.intervals;
}

void add_zero(Scatter& picture) {
  AxisRange range;
  for (const double value : picture.x) range.add(value);
  if (!range.empty) add_border(picture, {{range.low, range.high}}, {{0, 0}});
}

std::string draw_residuals(const Fitted& fitted, Source* x, const PlotColumns&, const Exec& exec,
                           const PlotStyle& style) {
  const ResultTable rows = fitted.model->diagnose(*x, exec);
  const std::string& target = fitted.schema.target->name;
  Scatter picture{.title = title_of(fitted, style, "residuals"),
                  .subtitle = plural(x->shape().rows, "row"),
                  .x_name = target + ", as predicted",
                  .y_name = target + " less that",
                  .x = *numbers_of(rows, "prediction"),
                  .y = *numbers_of(rows, "residual")};
  add_zero(picture);
  return draw_scatter(picture);
}

// Where Cook's distance D = e^2 h / (u (1 - h)^2) is 0.5 and 1, as far as that is near the rows; u,
// the same for all rows, is that of the row with the greatest D.
void add_cooks_distance(Scatter& picture, std::span<const double> distance) {
  constexpr std::size_t kPlaces = 100;
  double greatest = 0, unit = 0, most = 0, highest = 0;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const double h = picture.x[i], e = picture.y[i];
    if (h < 1 && std::isfinite(e)) {
      most = std::max(most, h);
      highest = std::max(highest, std::abs(e));
    }
    if (!(distance[i] > greatest) || !(h < 1)) continue;
    greatest = distance[i];
    unit = e * e * h / (greatest * (1 - h) * (1 - h));
  }
  for (const double d : {0.5, 1.0}) {
    for (const double sign : {-1.0, 1.0}) {
      std::vector<double> along, up;
      for (std::size_t i = 1; i <= kPlaces; ++i) {
        const double h = most * static_cast<double>(i) / static_cast<double>(kPlaces);
        const double e = std::sqrt(d * unit / h) * (1 - h);
        if (!(e <= 1.2 * highest)) continue;  // it would make the picture too high
        along.push_back(h);
        up.push_back(sign * e);
      }
      add_border(picture, along, up);
    }
  }
  picture.subtitle += fmt::format("; the greatest of Cook's distances is {}", shown(greatest));
  if (!picture.borders.empty()) picture.subtitle += "; lines: 0.5, and 1 farther out";
}

std::string draw_leverage(const Fitted& fitted, Source* x, const PlotColumns&, const Exec& exec,
                          const PlotStyle& style) {
  const ResultTable rows = fitted.model->diagnose(*x, exec);
  const auto *const leverage = numbers_of(rows, "leverage"), *const distance =
                                                                 numbers_of(rows, "cooks_distance");
  if (leverage == nullptr || distance == nullptr) {
    throw InputError(Code::kNotAble, {}, "the leverage of these rows is not known",
                     "Fit at most 1000 columns, with more rows than that.");
  }
  Scatter picture{.title = title_of(fitted, style, "leverage"),
                  .subtitle = plural(x->shape().rows, "row"),
                  .x_name = "leverage",
                  .y_name = "residual",
                  .x = *leverage,
                  .y = *numbers_of(rows, "residual")};
  add_cooks_distance(picture, *distance);
  add_zero(picture);
  return draw_scatter(picture);
}

// ---- columns, and groups of rows

std::string draw_uncertainty(const Fitted& fitted, Source* x, const PlotColumns& columns,
                             const Exec& exec, const PlotStyle& style) {
  return plot_uncertainty(fitted, *x, columns, exec, style);
}

// ---- density and bandwidths

std::string draw_density(const Fitted& fitted, Source* x, const PlotColumns& columns,
                         const Exec& exec, const PlotStyle& style) {
  return plot_density(fitted, *x, columns, exec, style);
}

std::string draw_bandwidths(const Fitted& fitted, Source* x, const PlotColumns&, const Exec& exec,
                            const PlotStyle& style) {
  return plot_bandwidths(fitted, *x, exec, style);
}

constexpr std::array kPictures{
    Picture{"fit", "the rows, and what the model learned", true, any_fit, draw_fit},
    Picture{"columns", "what is predicted along each column, the others at their middle", true,
            draws_effects, draw_rows<plot_effects>},
    Picture{"profiles", "what sets groups apart: each column by group", true, has_groups,
            draw_rows<plot_profiles>},
    Picture{"pairs", "the four columns that tell most, by pairs", true, has_groups,
            draw_rows<plot_pairs>},
    Picture{"confusion", "true labels, and what they were taken for", true, tells_labels,
            draw_rows<plot_confusion>},
    Picture{"roc", "rows of a label found over others taken for it", true, tells_probabilities,
            draw_rows<plot_roc>},
    Picture{"precision-recall", "precision over recall", true, tells_probabilities,
            draw_rows<plot_precision_recall>},
    Picture{"lift", "rows of a label found among the most probable", true, tells_probabilities,
            draw_rows<plot_lift>},
    Picture{"calibration", "how often labels come true over how probable they were", true,
            tells_probabilities, draw_rows<plot_calibration>},
    Picture{"uncertainty", "rows by how certain their label is", true, has_uncertainty,
            draw_uncertainty},
    Picture{"silhouette", "how well each row lies in its group", true, has_silhouettes,
            draw_rows<plot_silhouettes>},
    Picture{"predicted", "each number over what is predicted", true, has_residuals,
            draw_rows<plot_predicted>},
    Picture{"coefficients", "each coefficient, with its interval", false, has_coefficients,
            draw_coefficients},
    Picture{"path", "the coefficients as the penalty grows", false, has_path, draw_path},
    Picture{"words", "of texts: those that speak most for each class or cluster", false, has_words,
            draw_words},
    Picture{"residuals", "what is left of each number, over what is predicted", true, has_residuals,
            draw_residuals},
    Picture{"density", "a curve or bars over one column, contours over two", true, draws_density,
            draw_density},
    Picture{"bandwidths", "a kernel density with narrower and wider kernels", true,
            draws_bandwidths, draw_bandwidths},
    Picture{"leverage", "how much each row moves the fit, with Cook's distance", true, has_leverage,
            draw_leverage},
};

}  // namespace

std::span<const Picture> pictures() { return kPictures; }

std::string draw_picture(std::string_view name, const Fitted& fitted, Source* x,
                         const PlotColumns& columns, const Exec& exec, const PlotStyle& style) {
  std::vector<std::string> able, alone;
  const Picture* known = nullptr;
  for (const Picture& picture : kPictures) {
    if (picture.name == name) known = &picture;
    if (!picture.able(fitted)) continue;
    able.emplace_back(picture.name);
    if (!picture.needs_rows) alone.emplace_back(picture.name);
  }
  const std::string_view model = fitted.info().name;
  if (known == nullptr || !known->able(fitted)) {
    throw InputError(known != nullptr ? Code::kNotAble : Code::kUnknownName, {},
                     known != nullptr ? fmt::format("there is no picture '{}' of {}", name, model)
                                      : fmt::format("there is no picture '{}'", name),
                     fmt::format("Of {} there are: {}.", model, listed(able)));
  }
  if (x == nullptr && known->needs_rows) {
    const Ref give = Ref::either("Give DATA behind the model", "Give X");
    throw InputError(Code::kBadOption, {}, fmt::format("the picture '{}' shows rows", name),
                     alone.empty()
                         ? Message{"{}.", give}
                         : Message{"{}, or a picture that shows none: {}.", give, listed(alone)});
  }
  return known->draw(fitted, x, columns, exec, style);
}

}  // namespace craton
