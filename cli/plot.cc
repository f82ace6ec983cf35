#include "cli/plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/output.h"
#include "craton/core/error.h"
#include "craton/draw/scatter.h"
#include "craton/kernels/linalg.h"

namespace craton::cli {
namespace {

const Array* find_parameter(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto at = std::find_if(parameters.begin(), parameters.end(),
                               [&](const Parameter& p) { return p.name == name; });
  return at == parameters.end() ? nullptr : &at->value;
}

std::vector<double> column_of(const Table& table, Index column) {
  std::vector<double> values;
  for (Index i = 0; i < table.x.rows(); ++i) values.push_back(table.x.view().row(i)[column]);
  return values;
}

// The 2 x 2 block of the covariance of component c: full (k x d x d) or diagonal (k x d).
std::array<double, 4> block_of(const Array& covariances, Index c, Index a, Index b) {
  const Index d = covariances.shape[1];
  const double* first = &covariances.values[usize(c * (covariances.shape.size() == 3 ? d * d : d))];
  if (covariances.shape.size() == 2) return {first[a], 0, 0, first[b]};
  return {first[a * d + a], first[a * d + b], first[b * d + a], first[b * d + b]};
}

void add_ellipses(Scatter& picture, const std::vector<Parameter>& parameters,
                  const PlotColumns& columns) {
  const Array* means = find_parameter(parameters, "means");
  const Array* covariances = find_parameter(parameters, "covariances");
  const Array* weights = find_parameter(parameters, "weights");
  if (means == nullptr || covariances == nullptr || weights == nullptr) return;
  const double heaviest = *std::max_element(weights->values.begin(), weights->values.end());
  for (Index c = 0; c < means->rows(); ++c) {
    const SymmetricEigen eigen =
        eigen_symmetric(block_of(*covariances, c, columns.across, columns.up), 2);
    const double* mean = means->view().row(c);
    for (const double deviations : {1.0, 2.0}) {
      picture.ellipses.push_back({.x = mean[columns.across],
                                  .y = mean[columns.up],
                                  .radius_1 = deviations * std::sqrt(eigen.values[1]),
                                  .radius_2 = deviations * std::sqrt(eigen.values[0]),
                                  .angle = std::atan2(eigen.vectors[3], eigen.vectors[1]),
                                  .group = static_cast<int>(c),
                                  .weight = weights->values[usize(c)] / heaviest});
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

// One column: up goes the density, where there is one.
void raise(Scatter& picture, const Fitted& fitted, Source& source, const Exec& exec) {
  picture.y.resize(picture.x.size());
  if (fitted.info().abilities.score_samples) {
    fitted.model->score_samples(source, picture.y, exec);
    for (double& y : picture.y) y = std::exp(y);
    picture.y_name = "density";
    return;
  }
  for (std::size_t i = 0; i < picture.y.size(); ++i) picture.y[i] = static_cast<double>(i);
  picture.y_name = "row";
}

}  // namespace

PlotColumns choose_plot_columns(const Command& command, const Table& table) {
  if (command.plot_columns.empty()) return {0, table.schema.size() > 1 ? 1 : -1};
  if (command.plot_columns.size() != 2) {
    throw InputError(Code::kBadOption, {},
                     fmt::format("--plot-columns names {}, but a picture has two",
                                 plural(ssize(command.plot_columns), "column")),
                     "Give two, with a comma between: --plot-columns x,y");
  }
  PlotColumns result;
  for (Index* column : {&result.across, &result.up}) {
    const std::string& name = command.plot_columns[column == &result.up ? 1 : 0];
    *column = table.schema.find(name);
    if (*column >= 0) continue;
    const std::vector<std::string> names = table.schema.names();
    const std::string near = did_you_mean(name, names);
    throw InputError(
        Code::kUnknownName, {.file = table.name},
        fmt::format("--plot-columns names '{}', which is not among the columns fitted", name),
        near.empty() ? fmt::format("They are: {}.", join(names)) : near);
  }
  return result;
}

std::string plot_fit(const Fitted& fitted, const Table& table, const PlotColumns& columns,
                     const Exec& exec) {
  const ModelInfo& info = fitted.info();
  Scatter picture;
  const char* noun = info.abilities.score_samples ? "component" : "cluster";
  picture.title = fmt::format("{}: {} found by {}", base_name(table.name),
                              plural(fitted.model->classes(), noun), info.name);
  picture.subtitle = fmt::format("{}, {} {}", plural(table.x.rows(), "row"), info.objective,
                                 shown(fitted.report.objective));
  picture.x_name = table.schema.name(columns.across);
  picture.x = column_of(table, columns.across);
  MemorySource source = table.source();
  if (info.abilities.predict) {
    picture.group.resize(picture.x.size());
    fitted.model->predict(source, picture.group, exec);
    for (Index c = 0; c < fitted.model->classes(); ++c) {
      picture.legend.push_back(fmt::format("{} {}", noun, c));
    }
  }
  if (columns.up < 0) {
    raise(picture, fitted, source, exec);
    return draw_scatter(picture);
  }
  picture.y_name = table.schema.name(columns.up);
  picture.y = column_of(table, columns.up);
  add_ellipses(picture, fitted.model->parameters(), columns);
  add_centres(picture, fitted.model->parameters(), columns);
  if (!picture.ellipses.empty()) picture.subtitle += "; ellipses at 1 and 2 standard deviations";
  return draw_scatter(picture);
}

}  // namespace craton::cli
