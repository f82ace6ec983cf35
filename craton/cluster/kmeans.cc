#include "craton/cluster/kmeans.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "craton/cluster/distances.h"
#include "craton/cluster/starts.h"
#include "craton/core/columns.h"
#include "craton/core/digits.h"
#include "craton/core/em.h"
#include "craton/core/for_each.h"

namespace craton {
namespace {

// Calls f(row of the table, distances) for every row of new data, checked.
template <class F>
void for_each_row(Source& x, const Array& centers, const Exec& exec, const F& f) {
  check_columns(x, centers.cols());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    visit_dense(chunk.x, [&](const auto& rows) {
      Distances distances(centers);
      for (Index i = 0; i < rows.rows; ++i) {
        distances.compute(rows.row(i));
        if (!std::isfinite(distances.squared[distances.nearest()])) {
          fail_too_far(x, chunk.first_row + i);
        }
        f(usize(chunk.first_row + i), distances);
      }
    });
  });
}

Array start_of(Source& x, const KMeans::Options& o, const ColumnStatistics& columns, Index trial,
               const Exec& exec) {
  if (o.centers.empty()) {
    const StartRule rule =
        o.init == KMeans::Init::kPlusPlus ? StartRule::kPlusPlus : StartRule::kRandom;
    return choose_start(x,
                        {.rule = rule,
                         .k = o.n_clusters,
                         .seed = static_cast<std::uint64_t>(o.random_state),
                         .trial = static_cast<std::uint32_t>(trial),
                         .repeat = true},  // such clusters stay empty, and a note says so
                        exec);
  }
  if (o.centers.shape != std::vector<Index>{o.n_clusters, x.shape().cols}) {
    throw InputError(
        Code::kBadShape, {},
        fmt::format("init is an {}, but the start has n_clusters = {} rows and {} columns",
                    to_text(o.centers), o.n_clusters, x.shape().cols),
        "Give one row for each cluster and one column for each feature.");
  }
  check_start("init", o.centers, columns);
  return o.centers;
}

void check_spread(const Source& x, const ColumnStatistics& columns) {
  double widest = 0;
  for (Index j = 0; j < x.shape().cols; ++j) widest = std::max(widest, columns.range(j));
  if (widest == 0 || widest >= kNarrowest) return;
  throw InputError(
      Code::kNoSpread, {.file = x.name()},
      fmt::format("no column spreads over more than {:g}, so all squares vanish", widest),
      "Multiply the columns by a power of ten.");
}

void check_rows(const Source& x, const ColumnStatistics& columns, Index n_clusters) {
  if (columns.rows() >= n_clusters) return;
  throw InputError(Code::kTooFewRows, {.file = x.name()},
                   fmt::format("n_clusters = {}, but there are only {} rows (n_samples = {})",
                               n_clusters, columns.rows(), columns.rows()),
                   fmt::format("Give n_clusters of at most {}.", columns.rows()));
}

void note_empty_clusters(const std::vector<double>& weights, FitReport& report) {
  const auto empty = std::count(weights.begin(), weights.end(), 0.0);
  if (empty == 0) return;
  report.notes.push_back(
      {"empty-cluster", fmt::format("{} of {} clusters have no rows: the data have fewer distinct "
                                    "rows than n_clusters, or the start was poor. Give n_clusters "
                                    "of at most {}.",
                                    empty, weights.size(), std::ssize(weights) - empty)});
}

}  // namespace

void describe(OptionVisitor& v, KMeans::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_clusters", o.n_clusters, 1, kMost, "number of clusters");
  v.choice_or_array("init", o.init, o.centers, {"k-means++", "random"},
                    "where to start: k-means++, random rows, or an array of centres (k x columns)");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the centres, at most");
  v.number("tol", o.tol, 0, INFINITY,
           "stop when the squared shift of the centres is below tol times the mean variance");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
}

Fit<KMeans> KMeans::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const ColumnStatistics columns = check_table(x, exec);
  check_rows(x, columns, options.n_clusters);
  check_spread(x, columns);

  const double spread = columns.mean_variance();
  const double scatter = columns.weight() * static_cast<double>(x.shape().cols) * spread;
  const EmOptions em_options{.max_iter = options.max_iter,
                             .tol = options.tol * spread,
                             .rule = Convergence::kShift,
                             .scale = scatter};
  std::optional<Fit<KMeans>> best;
  const Index trials = options.centers.empty() ? options.n_init : 1;
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    auto fit = em(
        x, KMeans(start_of(x, options, columns, trial, exec)),
        [&](const KMeans& model) { return Statistics(model, columns.mean()); },
        [](KMeans& model, const Statistics& s) { return model.update(s); }, em_options, exec);
    if (best && best->report.objective >= fit.report.objective) continue;
    fit.model.weights_.values = fit.statistics.weight_;
    note_empty_clusters(fit.statistics.weight_, fit.report);
    best = Fit<KMeans>{std::move(fit.model), std::move(fit.report)};
  }
  best->report.data_hash = columns.data_hash();
  return *std::move(best);
}

KMeans::KMeans(Array centers)
    : centers_(std::move(centers)),
      weights_{{centers_.rows()}, std::vector<double>(usize(centers_.rows()))} {
  CRATON_ASSERT(centers_.shape.size() == 2 && centers_.rows() > 0 && centers_.cols() > 0);
}

KMeans::Statistics KMeans::statistics() const {
  return Statistics(*this, std::span(centers_.values).first(usize(centers_.cols())));
}

// Returns the summed squared shift of the centres.
double KMeans::update(const Statistics& s) {
  const std::size_t d = usize(centers_.cols());
  double moved = 0;
  bool rescued = false;
  for (std::size_t c = 0; c < s.weight_.size(); ++c) {
    const bool empty = s.weight_[c] == 0;
    if (empty && (rescued || s.farthest_ == 0)) continue;
    rescued = rescued || empty;
    for (std::size_t j = 0; j < d; ++j) {
      double& center = centers_.values[c * d + j];
      const double next =
          empty ? s.farthest_row_[j] : s.shift_[j] + s.sum_[c * d + j] / s.weight_[c];
      moved += (next - center) * (next - center);
      center = next;
    }
  }
  return moved;
}

void KMeans::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  for_each_row(x, centers_, exec, [&](std::size_t row, const Distances& distances) {
    labels[row] = static_cast<std::int32_t>(distances.nearest());
  });
}

void KMeans::transform(Source& x, std::span<double> distances, const Exec& exec) const {
  const std::size_t k = usize(classes());
  for_each_row(x, centers_, exec, [&](std::size_t row, const Distances& to) {
    for (std::size_t c = 0; c < k; ++c) distances[row * k + c] = std::sqrt(to.squared[c]);
  });
}

double KMeans::score(Source& x, const Exec& exec) const {
  check_columns(x, centers_.cols());
  check_start("the model", centers_, check_table(x, exec));
  return fold(x, statistics(), exec).objective();
}

std::vector<Parameter> KMeans::parameters() const {
  return {{"cluster_centers", "the centres, one a row", centers_},
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
  for (Index j = 0; j < centers_.cols(); ++j) {
    double low = INFINITY, high = -INFINITY;
    for (Index c = 0; c < classes(); ++c) {
      low = std::min(low, centers_.view().row(c)[j]);
      high = std::max(high, centers_.view().row(c)[j]);
    }
    spread.push_back(high - low);
  }
  SummaryTable table{"centres", {"cluster", "weight"}, {}};
  for (const std::string& name : schema.names()) table.header.push_back(name);
  for (Index c = 0; c < classes(); ++c) {
    std::vector<std::string> row{std::to_string(c), shown_beside(weights_.values[usize(c)], 0, 6)};
    for (Index j = 0; j < centers_.cols(); ++j) {
      row.push_back(shown_beside(centers_.view().row(c)[j], spread[usize(j)], 6));
    }
    table.rows.push_back(std::move(row));
  }
  return {table};
}

}  // namespace craton
