#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/classes/discriminant.h"
#include "craton/core/digits.h"

namespace craton {
namespace {

constexpr Index kFeaturesOfAxes = 12;  // features of a model to show

std::string of_first(Index shown, Index all) {
  return shown < all ? fmt::format(" of the first {} of {} features", shown, all) : "";
}

// Each class with its probability, and the mean and standard deviation of its first features.
SummaryTable means_table(const GaussianClasses& gaussians, const Schema& schema) {
  const Index d = gaussians.columns(), shown = std::min(d, kFeaturesOfAxes);
  SummaryTable table{
      "means (standard deviations)" + of_first(shown, d), {"class", "probability"}, {}};
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index c = 0; c < gaussians.classes(); ++c) {
    const double p = std::exp(gaussians.log_prior().values[usize(c)]);
    std::vector<std::string> row{label_name(schema, c), shown_beside(p, 0, 4)};
    for (Index j = 0; j < shown; ++j) {
      const double deviation = std::sqrt(gaussians.variance(c, j));
      row.push_back(fmt::format("{} ({})",
                                shown_beside(gaussians.means().view().row(c)[j], deviation, 4),
                                shown_beside(deviation, 0, 3)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The correlations of the first features, below the diagonal.
SummaryTable correlation_table(const GaussianClasses& gaussians, Index label,
                               const Schema& schema) {
  const Index d = gaussians.columns(), shown = std::min(d, kFeaturesOfAxes);
  const std::string whose =
      gaussians.shared() ? "" : fmt::format(" in class '{}'", label_name(schema, label));
  SummaryTable table{"correlations within classes" + of_first(shown, d), {""}, {}};
  if (!whose.empty()) table.title = "correlations" + whose + of_first(shown, d);
  const std::vector<double> covariance = gaussians.covariance_of(label);
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index i = 0; i < shown; ++i) {
    std::vector<std::string> row{schema.name(i)};
    for (Index j = 0; j < shown; ++j) {
      const double scale = std::sqrt(gaussians.variance(label, i) * gaussians.variance(label, j));
      const double r = scale > 0 ? covariance[usize(i * d + j)] / scale : 0;
      row.push_back(j < i ? fmt::format("{:.2f}", r) : j == i ? "1" : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// The axes, in units of the features' standard deviations within classes.
SummaryTable axes_table(const GaussianClasses& gaussians, const Array& scalings, const Array& ratio,
                        const Schema& schema) {
  const Index axes = std::min(scalings.cols(), kFeaturesOfAxes), d = gaussians.columns();
  const Index shown = std::min(d, kFeaturesOfAxes);
  SummaryTable table{"axes, by standard deviations of the features" + of_first(shown, d),
                     {"axis", "explained"},
                     {}};
  for (Index j = 0; j < shown; ++j) table.header.push_back(schema.name(j));
  for (Index a = 0; a < axes; ++a) {
    std::vector<std::string> row{std::to_string(a),
                                 fmt::format("{:.2f} %", 100 * ratio.values[usize(a)])};
    for (Index j = 0; j < shown; ++j) {
      const double deviation = std::sqrt(gaussians.variance(0, j));
      row.push_back(fmt::format("{:.3f}", scalings.view().row(j)[a] * deviation));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

template <Discriminance kKind>
std::vector<SummaryTable> Discriminant<kKind>::summary(const Schema& schema) const {
  constexpr Index kMostMatrices = 4;
  std::vector<SummaryTable> tables{means_table(gaussians_, schema)};
  const Index matrices = kLinear ? 1 : std::min(classes(), kMostMatrices);
  for (Index c = 0; gaussians_.full() && columns() > 1 && c < matrices; ++c) {
    tables.push_back(correlation_table(gaussians_, c, schema));
  }
  if (kLinear && columns() > 1 && scalings_.cols() > 0) {
    tables.push_back(axes_table(gaussians_, scalings_, explained_variance_ratio_, schema));
  }
  return tables;
}

template std::vector<SummaryTable> LinearDiscriminantAnalysis::summary(const Schema&) const;
template std::vector<SummaryTable> QuadraticDiscriminantAnalysis::summary(const Schema&) const;

}  // namespace craton
