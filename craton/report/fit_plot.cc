#include "craton/report/fit_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/draw/histogram.h"
#include "craton/draw/scatter.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/model/fit_steps.h"
#include "craton/report/borders.h"
#include "craton/report/drawn_parameters.h"
#include "craton/report/number_plot.h"
#include "craton/report/word_plot.h"
#include "craton/report/words.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

const Array* find_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  return at == parameters.end() ? nullptr : &at->value;
}

// One column of the rows, and their weights, if they have any.
struct Drawn {
  std::vector<double> values, weights;
};
Drawn read_column(Source& x, Index column, const Exec& exec) {
  const std::size_t rows = usize(x.shape().rows);
  Drawn drawn{std::vector<double>(rows), std::vector<double>(has_weights(x) ? rows : 0)};
  for_rows(x, exec, [&](const Chunk& chunk) {
    const Index first = chunk.first_row;
    visit_dense(chunk.x, [&](const auto& values) {
      for (Index i = 0; i < values.rows; ++i) {
        drawn.values[usize(first + i)] = static_cast<double>(values.row(i)[column]);
        if (!drawn.weights.empty()) drawn.weights[usize(first + i)] = chunk.weight(i);
      }
    });
  });
  return drawn;
}

// The label that each row has; -1: none.
std::vector<std::int32_t> read_labels(Source& x, const Exec& exec) {
  std::vector<std::int32_t> labels(usize(x.shape().rows), -1);
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::copy(chunk.labels.begin(), chunk.labels.end(), labels.begin() + chunk.first_row);
  });
  return labels;
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

// Where to evaluate densities of one column: evenly over the data, and closely around each mean, as
// a component may be narrower than a pixel.
std::vector<double> density_grid(std::span<const double> values,
                                 const std::vector<Parameter>& parameters) {
  constexpr int kEven = 400;
  constexpr double kReach = 4, kStep = 0.25;  // standard deviations
  std::vector<double> there(values.begin(), values.end()), grid;
  std::erase_if(there, [](double v) { return std::isnan(v); });
  if (there.empty()) return grid;
  const auto [low, high] = std::minmax_element(there.begin(), there.end());
  const double margin = (*high - *low) / 20;
  for (int i = 0; i <= kEven; ++i) {
    grid.push_back(*low - margin + (*high - *low + 2 * margin) * i / kEven);
  }
  const std::optional<Gaussians> gaussians = gaussians_of(parameters);
  for (Index c = 0; gaussians && c < gaussians->means.rows(); ++c) {
    const double deviation = std::sqrt(*covariance_of(gaussians->covariances, c));
    for (double z = -kReach; z <= kReach; z += kStep) {
      grid.push_back(gaussians->means.values[usize(c)] + z * deviation);
    }
  }
  std::sort(grid.begin(), grid.end());
  return grid;
}

// The density of the whole, and p(row, component) of each component.
void add_densities(Histogram& picture, const Fitted& fitted, const Exec& exec) {
  const std::vector<double> grid = density_grid(picture.x, drawn_parameters(*fitted.model));
  const Index points = ssize(grid), k = fitted.model->classes();
  MemorySource source({.x = Dense<double>{grid.data(), points, 1, 1}});
  DensityCurve whole{grid, std::vector<double>(grid.size()), -1};
  fitted.model->score_samples(source, whole.y, exec);
  std::vector<DensityCurve> components;
  if (fitted.info().abilities.predict_log_proba && k > 1) {
    std::vector<double> shares(usize(points * k));
    fitted.model->predict_log_proba(source, shares, exec);
    for (Index c = 0; c < k; ++c) {
      DensityCurve part{grid, {}, static_cast<int>(c)};
      for (Index i = 0; i < points; ++i) {
        part.y.push_back(std::exp(whole.y[usize(i)] + shares[usize(i * k + c)]));
      }
      components.push_back(std::move(part));
    }
  }
  for (double& y : whole.y) y = std::exp(y);
  if (!components.empty()) picture.subtitle += "; the black line is their sum";
  picture.curves.push_back(std::move(whole));  // below the components
  for (DensityCurve& part : components) picture.curves.push_back(std::move(part));
}

std::string plot_one_column(Scatter&& text, const Fitted& fitted, std::vector<double> weights,
                            const Exec& exec) {
  Histogram picture{.title = std::move(text.title),
                    .subtitle = std::move(text.subtitle),
                    .x_name = std::move(text.x_name),
                    .x = std::move(text.x),
                    .weight = std::move(weights),
                    .group = std::move(text.group),
                    .legend = std::move(text.legend)};
  if (fitted.info().abilities.score_samples && !picture.x.empty()) {
    add_densities(picture, fitted, exec);
  }
  const std::vector<Parameter> parameters = drawn_parameters(*fitted.model);
  const Array* centers = find_parameter(parameters, "cluster_centers");
  for (Index c = 0; centers != nullptr && c < centers->rows(); ++c) {
    picture.centres.push_back({centers->values[usize(c)], static_cast<int>(c)});
  }
  if (draws_boundaries(*fitted.model)) {
    picture.borders = border_points(*fitted.model, exec);
    if (!picture.borders.empty()) picture.subtitle += "; labels change at the dashed lines";
  }
  return draw_histogram(picture);
}

// The part of the picture that may be seen: the data, and half as much around them.
void add_borders(Scatter& picture, const Fitted& fitted, const PlotColumns& columns,
                 const Exec& exec) {
  if (!draws_boundaries(*fitted.model) || fitted.model->columns() != 2) return;
  const auto range = [](std::span<const double> values) {
    std::pair<double, double> found{INFINITY, -INFINITY};
    for (const double v : values) {
      if (std::isnan(v)) continue;
      found = {std::min(found.first, v), std::max(found.second, v)};
    }
    const double margin = std::max(found.second - found.first, 1e-300) / 2;
    return std::pair(found.first - margin, found.second + margin);
  };
  const auto [left, right] = range(picture.x);
  const auto [bottom, top] = range(picture.y);
  picture.borders =
      border_lines(*fitted.model, {left, right, bottom, top}, columns.across == 1, exec);
  if (!picture.borders.empty()) picture.subtitle += "; labels change at the dark line";
}

}  // namespace

std::string plot_fit(const Fitted& fitted, Source& x, const PlotColumns& columns, double objective,
                     const Exec& exec, const PlotStyle& style) {
  const ModelInfo& info = fitted.info();
  if (info.abilities.predict_numbers) return plot_numbers(fitted, x, exec, style);
  if (text_of(*fitted.model) != nullptr) return plot_words(fitted, style);
  const Index rows = x.shape().rows;
  Scatter picture;
  const char* noun = info.abilities.score_samples ? "component" : "cluster";
  picture.title = style.title;
  if (style.title.empty() && !info.abilities.predict) {
    picture.title = title_start(x.name()) + std::string(info.help);
  } else if (style.title.empty() && info.abilities.labels) {
    picture.title =
        fmt::format("{}{} by {}", title_start(x.name()), fitted.schema.target->name, info.name);
  } else if (style.title.empty()) {
    picture.title = fmt::format("{}{} found by {}", title_start(x.name()),
                                plural(fitted.model->classes(), noun), info.name);
  }
  picture.subtitle =
      info.abilities.labels
          ? fmt::format("{}, accuracy {}", plural(rows, "row"), shown(fitted.model->score(x, exec)))
          : fmt::format("{}, {} {}", plural(rows, "row"), info.objective, shown(objective));
  picture.x_name = x.schema().name(columns.across);
  Drawn across = read_column(x, columns.across, exec);
  picture.x = std::move(across.values);
  if (info.abilities.labels) {
    picture.group = read_labels(x, exec);
    picture.legend = fitted.schema.target->levels;
  } else if (info.abilities.predict) {
    picture.group.resize(picture.x.size());
    fitted.model->predict(x, picture.group, exec);
    for (Index c = 0; c < fitted.model->classes(); ++c) {
      picture.legend.push_back(fitted.schema.target ? label_name(fitted.schema, c)
                                                    : fmt::format("{} {}", noun, c));
    }
  }
  if (columns.up < 0)
    return plot_one_column(std::move(picture), fitted, std::move(across.weights), exec);
  picture.y_name = x.schema().name(columns.up);
  picture.y = read_column(x, columns.up, exec).values;
  if (style.soft && info.abilities.predict_log_proba) {
    picture.shares.resize(picture.x.size() * usize(fitted.model->classes()));
    fitted.model->predict_log_proba(x, picture.shares, exec);
    for (double& share : picture.shares) share = std::exp(share);
  }
  const std::vector<Parameter> parameters = drawn_parameters(*fitted.model);
  add_ellipses(picture, parameters, columns);
  add_centres(picture, parameters, columns);
  if (!picture.ellipses.empty()) picture.subtitle += "; ellipses at 1 and 2 standard deviations";
  add_borders(picture, fitted, columns, exec);
  return draw_scatter(picture);
}

}  // namespace craton
