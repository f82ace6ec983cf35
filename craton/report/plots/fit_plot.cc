#include "craton/report/plots/fit_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/draw/scatter.h"
#include "craton/draw/text.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/model/fit_steps.h"
#include "craton/report/plots/column_choice.h"
#include "craton/report/plots/column_plot.h"
#include "craton/report/plots/drawn_parameters.h"
#include "craton/report/plots/effect_plot.h"
#include "craton/report/plots/number_plot.h"
#include "craton/report/plots/plane_plot.h"
#include "craton/report/plots/word_plot.h"
#include "craton/report/words.h"

namespace craton {
namespace {

const Array* find_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  return at == parameters.end() ? nullptr : &at->value;
}

// The Gaussians of a mixture, or of classes.
struct Gaussians {
  Array means, covariances;
  std::vector<double> weights;
};
std::optional<Gaussians> gaussians_of(const std::vector<Parameter>& parameters) {
  const Array* means = find_parameter(parameters, "means");
  const Array* covariances = find_parameter(parameters, "covariances");
  const Array* weights = find_parameter(parameters, "weights");
  if (means != nullptr && covariances != nullptr && weights != nullptr) {
    return Gaussians{*means, *covariances, weights->values};
  }
  const Array* const theta = find_parameter(parameters, "theta");
  const Array* const own = find_parameter(parameters, "var");
  const Array* const of_classes = find_parameter(parameters, "covariance");
  Gaussians result;
  if (theta != nullptr && own != nullptr) {
    result = {*theta, *own, {}};
  } else if (means != nullptr && of_classes != nullptr) {
    result = {*means, *of_classes, {}};
  } else {
    return std::nullopt;
  }
  for (const double log_p : find_parameter(parameters, "class_log_prior")->values) {
    result.weights.push_back(std::exp(log_p));
  }
  return result;
}

// The covariance of component c: one may stand for all.
const double* covariance_of(const Array& covariances, Index c) {
  const Index count = covariances.rows(), each = ssize(covariances.values) / count;
  return &covariances.values[usize(count == 1 ? 0 : c * each)];
}

// The 2 x 2 block of the covariance of component c: full (k x d x d), diagonal (k x d) or spherical
// (k).
std::array<double, 4> block_of(const Array& covariances, Index c, Index a, Index b) {
  const double* first = covariance_of(covariances, c);
  if (covariances.shape.size() == 1) return {first[0], 0, 0, first[0]};
  const Index d = covariances.shape[1];
  if (covariances.shape.size() == 2) return {first[a], 0, 0, first[b]};
  return {first[a * d + a], first[a * d + b], first[b * d + a], first[b * d + b]};
}

void add_ellipses(Scatter& picture, const std::vector<Parameter>& parameters,
                  const PlotColumns& columns) {
  const std::optional<Gaussians> gaussians = gaussians_of(parameters);
  if (!gaussians) return;
  const std::vector<double>& weights = gaussians->weights;
  const double heaviest = *std::max_element(weights.begin(), weights.end());
  for (Index c = 0; c < gaussians->means.rows(); ++c) {
    const SymmetricEigen eigen =
        eigen_symmetric(block_of(gaussians->covariances, c, columns.across, columns.up), 2);
    const double* mean = gaussians->means.view().row(c);
    for (const double deviations : {1.0, 2.0}) {
      picture.ellipses.push_back({.x = mean[columns.across],
                                  .y = mean[columns.up],
                                  .radius_1 = deviations * std::sqrt(eigen.values[1]),
                                  .radius_2 = deviations * std::sqrt(eigen.values[0]),
                                  .angle = std::atan2(eigen.vectors[3], eigen.vectors[1]),
                                  .group = static_cast<int>(c),
                                  .weight = weights[usize(c)] / heaviest});
    }
  }
}

void add_centres(Scatter& picture, const std::vector<Parameter>& parameters,
                 const PlotColumns& columns) {
  const Array* centers = find_parameter(parameters, "cluster_centers");
  for (Index c = 0; centers != nullptr && c < centers->rows(); ++c) {
    const double* center = centers->view().row(c);
    picture.centres.push_back({center[columns.across], center[columns.up], static_cast<int>(c)});
  }
}

std::string fit_title(const Fitted& fitted, const Source& x, const PlotStyle& style) {
  if (!style.title.empty()) return style.title;
  const ModelInfo& info = fitted.info();
  const std::string start = title_start(x.name());
  if (!info.abilities.predict) return start + std::string(info.help);
  if (info.abilities.labels) {
    return fmt::format("{}{} by {}", start, fitted.schema.target->name, info.name);
  }
  const char* const noun = info.abilities.score_samples ? "component" : "cluster";
  return fmt::format("{}{} found by {}", start, plural(fitted.model->classes(), noun), info.name);
}

std::string fit_subtitle(const Fitted& fitted, Source& x, const DrawnRows& rows, double objective,
                         const Exec& exec) {
  if (!fitted.info().abilities.labels) {
    return fmt::format("{}, {} {}", rows.told(), fitted.info().objective, rounded(objective));
  }
  return fmt::format("{}, accuracy {}", rows.told(), rounded(fitted.model->score(x, exec)));
}

}  // namespace

std::string plot_fit(const Fitted& fitted, Source& x, const PlotColumns& columns, double objective,
                     const Exec& exec, const PlotStyle& style) {
  const ModelInfo& info = fitted.info();
  if (info.abilities.predict_numbers) return plot_numbers(fitted, x, exec, style);
  if (text_of(*fitted.model) != nullptr) return plot_words(fitted, style);
  const bool many = columns.across < 0 && x.schema().size() > 2;
  if (many && !info.abilities.predict && draws_effects(fitted)) {
    return plot_effects(fitted, x, exec, style);
  }
  const DrawnRows rows = read_drawn_rows(x, exec);
  PictureText text{fit_title(fitted, x, style), fit_subtitle(fitted, x, rows, objective, exec)};
  std::vector<std::int32_t> groups = groups_of(fitted, rows, exec);
  const PlotColumns drawn = columns.across < 0 ? telling_columns(rows, groups) : columns;
  if (drawn.up < 0) return plot_column(fitted, rows, std::move(groups), std::move(text), exec);
  Scatter picture{.title = std::move(text.title),
                  .subtitle = std::move(text.subtitle),
                  .group = std::move(groups)};
  add_points(picture, rows, drawn);
  if (info.abilities.predict) picture.legend = label_names(fitted);
  if (style.soft && info.abilities.predict_log_proba) {
    picture.shares = probabilities(fitted, rows.table, exec);
  }
  const std::vector<Parameter> parameters = drawn_parameters(*fitted.model);
  add_ellipses(picture, parameters, drawn);
  add_centres(picture, parameters, drawn);
  if (!picture.ellipses.empty()) picture.subtitle += "; ellipses at 1 and 2 standard deviations";
  const bool all_drawn = x.schema().size() == 2;
  if (info.abilities.labels || (all_drawn && picture.ellipses.empty())) {
    add_ground(picture, fitted, rows, drawn, exec);
  }
  return draw_scatter(picture);
}

}  // namespace craton
