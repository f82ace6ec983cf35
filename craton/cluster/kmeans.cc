#include "craton/cluster/kmeans.h"

#include <algorithm>
#include <cmath>

#include "craton/core/columns.h"
#include "craton/core/digits.h"
#include "craton/core/for_each.h"
#include "craton/kernels/differences.h"

namespace craton {
namespace {

// Calls f(rows, number of the first) for blocks of checked rows of new data.
template <class F>
void for_blocks(Source& x, Index columns, const Exec& exec, const F& f) {
  check_columns(x, columns);
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    const auto visit = [&](const auto& view) {
      using Row = decltype(row_of(view, 0));
      std::vector<Row> rows;
      for (Index i = 0; i < view.rows; ++i) rows.push_back(row_of(view, i));
      f(std::span<const Row>(rows), chunk.first_row);
    };
    std::visit(visit, chunk.x);
  });
}

template <class T>
void squared_distances_from(const T* row, const NearestCentres& to, std::span<double> out) {
  squared_distances(row, to.centres().values.data(), std::ssize(out), to.centres().cols(),
                    out.data());
}
template <class T>
void squared_distances_from(const RowEntries<T>& row, const NearestCentres& to,
                            std::span<double> out) {
  for (std::size_t c = 0; c < out.size(); ++c) {
    out[c] = squared_distance(row, to.centres().view().row(static_cast<Index>(c)),
                              to.squared_norms()[c], to.centres().cols());
  }
}

}  // namespace

KMeans::KMeans(const Array& centers)
    : nearest_(centers), weights_{{centers.rows()}, std::vector<double>(usize(centers.rows()))} {}

KMeans::Statistics KMeans::statistics() const { return Statistics(*this); }

void KMeans::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  for_blocks(x, columns(), exec, [&](const auto& rows, Index first) {
    nearest_.find(rows, &labels[usize(first)], nullptr);
    for (Index i = first; i < first + std::ssize(rows); ++i) {
      if (labels[usize(i)] < 0) fail_too_far(x, i);
    }
  });
}

void KMeans::transform(Source& x, std::span<double> distances, const Exec& exec) const {
  const Index k = classes();
  for_blocks(x, columns(), exec, [&](const auto& rows, Index first) {
    for (Index i = 0; i < std::ssize(rows); ++i) {
      const std::span<double> out = distances.subspan(usize((first + i) * k), usize(k));
      squared_distances_from(rows[usize(i)], nearest_, out);
      for (double& v : out) v = std::sqrt(v);
      if (!std::isfinite(*std::min_element(out.begin(), out.end()))) fail_too_far(x, first + i);
    }
  });
}

double KMeans::score(Source& x, const Exec& exec) const {
  check_columns(x, centers().cols());
  check_start("the model", centers(), check_table(x, exec, Takes::kSparseToo));
  return fold(x, statistics(), exec).objective();
}

std::vector<Parameter> KMeans::parameters() const {
  return {{"cluster_centers", "the centres, one a row", centers()},
          {"cluster_weights", "the summed weight of the rows of each cluster", weights_}};
}

KMeans KMeans::from_parameters(std::span<const Parameter> parameters) {
  const Array& centers = get_parameter(parameters, "cluster_centers", std::array<Index, 2>{-1, -1});
  const Array& weights = get_parameter(parameters, "cluster_weights", std::array{centers.rows()});
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto valid_weight = [](double v) { return std::isfinite(v) && v >= 0; };
  if (centers.empty() || !std::all_of(centers.values.begin(), centers.values.end(), finite)) {
    fail_parameters("the cluster centres are not finite numbers");
  }
  if (!std::all_of(weights.values.begin(), weights.values.end(), valid_weight)) {
    fail_parameters("the cluster weights are not finite and positive");
  }
  KMeans model(centers);
  model.weights_ = weights;
  return model;
}

std::vector<SummaryTable> KMeans::summary(const Schema& schema) const {
  // Centres of one column are told apart by the distance between the outermost.
  std::vector<double> spread;
  for (Index j = 0; j < centers().cols(); ++j) {
    double low = INFINITY, high = -INFINITY;
    for (Index c = 0; c < classes(); ++c) {
      low = std::min(low, centers().view().row(c)[j]);
      high = std::max(high, centers().view().row(c)[j]);
    }
    spread.push_back(high - low);
  }
  SummaryTable table{"centres", {"cluster", "weight"}, {}};
  for (const std::string& name : schema.names()) table.header.push_back(name);
  for (Index c = 0; c < classes(); ++c) {
    std::vector<std::string> row{std::to_string(c), shown_beside(weights_.values[usize(c)], 0, 6)};
    for (Index j = 0; j < centers().cols(); ++j) {
      row.push_back(shown_beside(centers().view().row(c)[j], spread[usize(j)], 6));
    }
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace craton
