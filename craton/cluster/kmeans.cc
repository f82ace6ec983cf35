#include "craton/cluster/kmeans.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/cluster/unit_rows.h"
#include "craton/core/columns.h"
#include "craton/core/digits.h"
#include "craton/core/for_each.h"
#include "craton/kernels/differences.h"

namespace craton {
namespace {

// Calls f with the table as the model sees it.
template <class F>
decltype(auto) with_rows(const KMeans& model, Source& x, const F& f) {
  check_columns(x, model.columns());
  if (model.metric() == KMeans::Metric::kEuclidean) return f(x);
  UnitRows rows(x);
  return f(rows);
}

// Calls f(rows, number of the first) for blocks of checked rows of new data.
template <class F>
void for_blocks(Source& x, const Exec& exec, const F& f) {
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

constexpr const char* kUnitLength = "unit_length";

void check_unit_length(std::span<const Parameter> parameters, const Array& centers) {
  const Array& flag = get_parameter(parameters, kUnitLength, std::array<Index, 1>{1});
  if (flag.values[0] != 1) fail_parameters("unit_length is not 1");
  for (Index c = 0; c < centers.rows(); ++c) {
    double square = 0;
    for (Index j = 0; j < centers.cols(); ++j) {
      square += centers.view().row(c)[j] * centers.view().row(c)[j];
    }
    if (!(std::abs(square - 1) < 1e-9)) fail_parameters("a cluster centre is not of length 1");
  }
}

}  // namespace

KMeans::KMeans(const Array& centers, Metric metric, Index parts, RowKind rows)
    : metric_(metric),
      nearest_(centers, parts, rows),
      weights_{{centers.rows()}, std::vector<double>(usize(centers.rows()))} {}

KMeans::Statistics KMeans::statistics() const { return Statistics(*this); }

void KMeans::predict(Source& table, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rows(*this, table, [&](Source& x) {
    for_blocks(x, exec, [&](const auto& rows, Index first) {
      nearest_.find(rows, &labels[usize(first)], nullptr);
      for (Index i = first; i < first + std::ssize(rows); ++i) {
        if (labels[usize(i)] < 0) fail_too_far(x, i);
      }
    });
  });
}

void KMeans::transform(Source& table, std::span<double> distances, const Exec& exec) const {
  const Index k = classes();
  with_rows(*this, table, [&](Source& x) {
    for_blocks(x, exec, [&](const auto& rows, Index first) {
      for (Index i = 0; i < std::ssize(rows); ++i) {
        const std::span<double> out = distances.subspan(usize((first + i) * k), usize(k));
        squared_distances_from(rows[usize(i)], nearest_, out);
        for (double& v : out) v = metric_ == Metric::kCosine ? v / 2 : std::sqrt(v);
        if (!std::isfinite(*std::max_element(out.begin(), out.end()))) fail_too_far(x, first + i);
      }
    });
  });
}

std::int32_t KMeans::predict_row(const double* row, double* work) const {
  const std::size_t k = usize(classes()), d = usize(columns());
  if (metric_ == Metric::kCosine) {
    std::copy_n(row, d, work + k);
    if (!make_unit({work + k, d})) return -1;
    row = work + k;
  }
  squared_distances_from(row, nearest_, {work, k});
  const double* const best = std::min_element(work, work + k);  // the lower index on ties
  // Squares that vanish do not tell which centre is nearer: the long way does.
  constexpr double kVanishing = 1e-290;
  const auto vanishes = [](double square) { return square < kVanishing; };
  if (*best < kVanishing && std::count_if(work, work + k, vanishes) > 1) return -1;
  return std::isfinite(*best) ? static_cast<std::int32_t>(best - work) : -1;
}

KMeans::Statistics KMeans::statistics(Source& table, const Exec& exec) const {
  return with_rows(*this, table, [&](Source& x) {
    check_start("the model", centers(), check_table(x, exec, Takes::kSparseToo));
    return fold(x, statistics(), exec);
  });
}

double KMeans::score(Source& x, const Exec& exec) const { return statistics(x, exec).objective(); }

// That the metric is the cosine is a parameter of its own: Euclidean models have none.
std::vector<Parameter> KMeans::parameters() const {
  std::vector<Parameter> result{
      {"cluster_centers", "the centres, one a row", centers()},
      {"cluster_weights", "the summed weight of the rows of each cluster", weights_}};
  if (metric_ == Metric::kCosine) {
    result.push_back({kUnitLength, "rows and centres count by their directions", {{1}, {1}}});
  }
  return result;
}

KMeans KMeans::from_parameters(std::span<const Parameter> parameters) {
  const Array& centers = get_parameter(parameters, "cluster_centers", std::array<Index, 2>{-1, -1});
  const Array& weights = get_parameter(parameters, "cluster_weights", std::array{centers.rows()});
  const auto finite = [](double v) { return std::isfinite(v); };
  const auto valid_weight = [](double v) { return std::isfinite(v) && v >= 0; };
  if (centers.empty() || !std::all_of(centers.values.begin(), centers.values.end(), finite)) {
    fail_parameters("the cluster centres are not finite numbers");
  }
  for (Index j = 0; j < centers.cols(); ++j) {
    double low = centers.values[usize(j)], high = low;
    for (Index c = 0; c < centers.rows(); ++c) {
      low = std::min(low, centers.view().row(c)[j]);
      high = std::max(high, centers.view().row(c)[j]);
    }
    if (!(high - low <= kWidest)) fail_parameters("the cluster centres lie too far apart");
  }
  if (!std::all_of(weights.values.begin(), weights.values.end(), valid_weight)) {
    fail_parameters("the cluster weights are not finite and positive");
  }
  const bool cosine = std::any_of(parameters.begin(), parameters.end(),
                                  [](const Parameter& p) { return p.name == kUnitLength; });
  if (cosine) check_unit_length(parameters, centers);
  KMeans model(centers, cosine ? Metric::kCosine : Metric::kEuclidean);
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
