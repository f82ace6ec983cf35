#include "craton/classes/discriminant/nearest_centroid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/discriminant/class_moments.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/differences.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// One pass sums the moments of every column in each class, O(rows x columns); centroids come from
// these sums alone, so models learn on, merge and unlearn rows. A prediction is O(classes x
// columns) a row.

namespace craton {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ClassMoments remembered(const Fit<NearestCentroid>& so_far) {
  return ClassMoments::from(so_far.memory.get(), so_far.model.classes(), so_far.model.columns(),
                            hash_number(so_far.report.data_hash));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// sum over rows of (x_j - mu_cj)^2, by column, over all classes.
std::vector<double> within_scatter(const ClassMoments& moments, const Schema& schema) {
  std::vector<double> scatter(usize(moments.columns()));
  for (Index j = 0; j < moments.columns(); ++j) {
    for (Index c = 0; c < moments.classes(); ++c) {
      const Moments m = moments.of(c, j);
      if (m.weight > 0) scatter[usize(j)] += m.weight * m.variance();
    }
    if (!(scatter[usize(j)] <= kWidest * kWidest)) fail_too_wide(schema, j);
  }
  return scatter;
}

// The share of labelled rows, by weight, whose label is the given one.
double share_right(Source& x, std::span<const std::int32_t> labels) {
  double right = 0, all = 0;
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    for (Index i = 0; i < ssize(chunk.labels); ++i) {
      const std::int32_t label = chunk.labels[usize(i)];
      if (label < 0) continue;
      all += chunk.weight(i);
      if (label == labels[usize(chunk.first_row + i)]) right += chunk.weight(i);
    }
  });
  if (all > 0) return right / all;
  throw InputError(Code::kBadTarget, {.file = x.name()}, "no row has a label to compare with",
                   "Give labelled rows.");
}

// Moves the centroids towards the mean of all rows, and those that are near onto it.
void shrink(Array& centroids, const ClassMoments& moments, std::span<const double> scatter,
            double threshold) {
  const Index k = moments.classes(), d = moments.columns();
  double rows = 0;
  for (const double w : moments.class_weight()) rows += w;
  if (!(rows > static_cast<double>(k))) {
    throw InputError(
        Code::kTooFewRows, {},
        fmt::format("shrink_threshold measures centroids by the spread within classes, "
                    "which {:.6g} rows of {} classes do not tell",
                    rows, k),
        "Give more rows than classes, or shrink_threshold = 0.");
  }
  std::vector<double> spread;
  for (const double s : scatter) {
    spread.push_back(std::sqrt(s / (rows - static_cast<double>(k))));
  }
  const double middle = median(spread);
  for (Index c = 0; c < k; ++c) {
    const double n = moments.class_weight()[usize(c)];
    if (n == 0) continue;
    const double m = std::sqrt(std::max(1 / n - 1 / rows, 0.0));
    for (Index j = 0; j < d; ++j) {
      double& value = centroids.values[usize(c * d + j)];
      const double all = moments.of_column(j).mean(), unit = m * (spread[usize(j)] + middle);
      const double away = std::max(std::abs(value - all) - threshold * unit, 0.0);
      value = all + std::copysign(away, value - all);
    }
  }
}

}  // namespace

void describe(OptionVisitor& v, NearestCentroid::Options& o) {
  v.number("shrink_threshold", o.shrink_threshold, 0, kInfinity,
           "move centroids so many standard errors towards the mean of all rows; those nearer to "
           "it are put on it, and their columns no longer count");
}

NearestCentroid::NearestCentroid(Array centroids, Array class_weight)
    : centroids_(std::move(centroids)), class_weight_(std::move(class_weight)) {}

Fit<NearestCentroid> NearestCentroid::estimate(const ClassMoments& moments, const Options& options,
                                               const Schema& schema, std::vector<Note> notes) {
  const Index k = moments.classes(), d = moments.columns();
  log_class_prior({}, moments.class_weight());  // InputError where no row has a weight
  const std::vector<double> scatter = within_scatter(moments, schema);
  Array centroids{{k, d}, std::vector<double>(usize(k * d))};
  for (Index j = 0; j < d; ++j) {
    const Moments all = moments.of_column(j);
    if (all.weight == 0) {
      throw InputError(Code::kNotFinite, {.column = schema.name(j)},
                       "no row that counts has a value: all are missing (NaN)",
                       "Leave the column out.");
    }
    for (Index c = 0; c < k; ++c) {
      const Moments own = moments.of(c, j);
      centroids.values[usize(c * d + j)] = own.weight > 0 ? own.mean() : all.mean();
    }
  }
  if (options.shrink_threshold > 0) shrink(centroids, moments, scatter, options.shrink_threshold);
  double sum = 0, weight = 0;
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < d; ++j) {
      const Moments own = moments.of(c, j);
      if (own.weight == 0) continue;
      const double moved = own.mean() - centroids.values[usize(c * d + j)];
      sum += own.weight * (own.variance() + moved * moved);
    }
    weight += moments.class_weight()[usize(c)];
  }
  FitReport report;
  report.converged = true;
  report.objective = -sum / weight;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(moments.hash());
  return {NearestCentroid(std::move(centroids), Array{{k}, moments.class_weight()}),
          std::move(report), moments.arrays()};
}

Fit<NearestCentroid> NearestCentroid::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  const ClassMoments moments = fold(x, ClassMoments(x, count_classes(x)), exec);
  std::vector<Note> notes;
  check_classes(x, moments.class_weight(), moments.unlabelled(), notes);
  return estimate(moments, options, x.schema(), std::move(notes));
}

Fit<NearestCentroid> NearestCentroid::partial_fit(const Fit<NearestCentroid>& so_far, Source& x,
                                                  const Options& options, const Exec& exec) {
  ClassMoments moments = remembered(so_far);
  const ClassMoments more = fold(x, ClassMoments(x, so_far.model.classes()), exec);
  check_more_weight(x, more.class_weight());
  moments.merge(more);
  return estimate(moments, options, x.schema(), {});
}

Fit<NearestCentroid> NearestCentroid::unlearn(const Fit<NearestCentroid>& so_far, Source& x,
                                              const Options& options, const Exec& exec) {
  ClassMoments moments = remembered(so_far);
  moments.subtract(fold(x, ClassMoments(x, so_far.model.classes()), exec), x);
  return estimate(moments, options, x.schema(), {});
}

Fit<NearestCentroid> NearestCentroid::merge(const Fit<NearestCentroid>& a,
                                            const Fit<NearestCentroid>& b, const Options& options) {
  ClassMoments moments = remembered(a);
  moments.merge(remembered(b));
  return estimate(moments, options, numbered_schema(a.model.columns()), {});
}

void NearestCentroid::check_memory(std::span<const Parameter> memory) const {
  ClassMoments::from(memory, classes(), columns(), 0);
}

// Over the values that are there; a class without rows is infinitely far.
void NearestCentroid::squared_distances_of(const double* row, double* out) const {
  const Index k = classes(), d = columns();
  if (std::none_of(row, row + d, [](double v) { return std::isnan(v); })) {
    squared_distances(row, centroids_.values.data(), k, d, out);
  } else {
    for (Index c = 0; c < k; ++c) {
      out[c] = 0;
      for (Index j = 0; j < d; ++j) {
        const double gap = row[j] - centroids_.values[usize(c * d + j)];
        if (!std::isnan(gap)) out[c] += gap * gap;
      }
    }
  }
  for (Index c = 0; c < k; ++c) {
    if (class_weight_.values[usize(c)] == 0) out[c] = kInfinity;
  }
}

std::int32_t NearestCentroid::predict_row(const double* row, double* work) const {
  squared_distances_of(row, work);
  const double* const best = std::min_element(work, work + classes());  // the first on ties
  return std::isfinite(*best) ? static_cast<std::int32_t>(best - work) : -1;
}

void NearestCentroid::for_distances(Source& x, const Exec& exec,
                                    FunctionRef<void(Index, std::span<double>)> use) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_not_infinite(chunk, x);
    std::vector<double> row(usize(columns())), distances(usize(classes()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      squared_distances_of(row.data(), distances.data());
      if (!std::isfinite(*std::min_element(distances.begin(), distances.end()))) {
        throw InputError(Code::kNotFinite, x.place_of(chunk.first_row + i),
                         "the row is so far from every centroid that squares overflow",
                         "Divide the columns by a power of ten.");
      }
      use(chunk.first_row + i, distances);
    }
  });
}

void NearestCentroid::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  for_distances(x, exec, [&](Index row, std::span<double> distances) {
    const auto best = std::min_element(distances.begin(), distances.end());  // the first on ties
    labels[usize(row)] = static_cast<std::int32_t>(best - distances.begin());
  });
}

double NearestCentroid::score(Source& x, const Exec& exec) const {
  std::vector<std::int32_t> labels(usize(x.shape().rows));
  predict(x, labels, exec);
  return share_right(x, labels);
}

void NearestCentroid::visit_parameters(ParameterVisitor& v) const {
  v.doubles("centroids", "the centroid of each class, one a row", centroids_);
  v.doubles("class_weight", "the summed weight of the rows of each class", class_weight_);
}

NearestCentroid NearestCentroid::from_parameters(const ParameterList& parameters) {
  const ArrayView centroids = parameters.doubles("centroids", {-1, -1});
  const ArrayView weight = parameters.doubles("class_weight", {centroids.rows()});
  const auto sound = [](double v) { return std::isfinite(v); };
  if (centroids.empty() || !std::ranges::all_of(centroids.values, sound)) {
    fail_parameters("the centroids are not finite numbers");
  }
  const auto valid = [](double v) { return std::isfinite(v) && v >= 0; };
  const auto positive = [](double v) { return v > 0; };
  if (!std::ranges::all_of(weight.values, valid) || std::ranges::none_of(weight.values, positive)) {
    fail_parameters("the weights of the classes are not finite and positive");
  }
  return NearestCentroid(centroids.copy(), weight.copy());
}

std::vector<ResultTable> NearestCentroid::tables(const Schema& schema) const {
  constexpr Index kFeaturesShown = 12;
  ResultTable table{.name = "centroids", .title = "centroids", .features_shown = kFeaturesShown};
  table.add_labels("class", schema, classes());
  table.add_numbers("weight", class_weight_.values);
  for (Index j = 0; j < columns(); ++j) {
    ResultColumn::Numbers values;
    for (Index c = 0; c < classes(); ++c) values.push_back(centroids_.view().row(c)[j]);
    table.add_values(schema.name(j), j, std::move(values));
  }
  return {table};
}

const Usage NearestCentroid::kUsage{
    .example = "examples/data/birds.csv --target kind --missing skip -o birds.craton",
    .python = R"(
>>> from craton import NearestCentroid
>>> X = [[1, 2], [2, 1], [3, 3], [8, 9], [9, 8], [7, 7]]
>>> model = NearestCentroid().fit(X, ["low", "low", "low", "high", "high", "high"])
>>> model.centroids_.tolist()
[[8.0, 8.0], [2.0, 2.0]]
>>> model.predict([[4, 4], [6, 7]]).tolist()
['low', 'high']
)",
    .sklearn = "neighbors.NearestCentroid"};

template ModelInfo registered<NearestCentroid>();

}  // namespace craton
