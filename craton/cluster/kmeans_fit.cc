#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/cluster/unit_rows.h"
#include "craton/core/columns.h"
#include "craton/core/notes.h"

// The loop of k-means, and what surrounds it.

namespace craton {
namespace {

StartRule rule_of(KMeans::Init init) {
  switch (init) {
    case KMeans::Init::kPlusPlus:
      return StartRule::kPlusPlus;
    case KMeans::Init::kRandom:
      return StartRule::kRandom;
    case KMeans::Init::kParallel:
      return StartRule::kParallel;
  }
  CRATON_ASSERT(false);
  return {};
}

Array start_of(Source& x, const KMeans::Options& o, const ColumnStatistics& columns, Index trial,
               const Exec& exec) {
  if (o.centers.empty()) {
    const Index trials =
        o.n_local_trials > 0 ? o.n_local_trials : default_local_trials(o.n_clusters);
    return choose_start(x,
                        {.rule = rule_of(o.init),
                         .k = o.n_clusters,
                         .seed = static_cast<std::uint64_t>(o.random_state),
                         .trial = static_cast<std::uint32_t>(trial),
                         .repeat = true,  // such clusters stay empty, and a note says so
                         .local_trials = trials},
                        exec);
  }
  if (o.centers.shape != std::vector<Index>{o.n_clusters, x.shape().cols}) {
    throw InputError(
        Code::kBadShape, {},
        fmt::format("init is an {}, but the start has n_clusters = {} rows and {} columns",
                    to_text(o.centers), o.n_clusters, x.shape().cols),
        "Give one row for each cluster and one column for each feature.");
  }
  Array centers = o.centers;
  for (Index c = 0; c < o.n_clusters && o.metric == KMeans::Metric::kCosine; ++c) {
    const std::size_t d = usize(x.shape().cols);
    if (make_unit(std::span(centers.values).subspan(usize(c) * d, d))) continue;
    throw InputError(Code::kBadOption, {},
                     fmt::format("init has only zeros in row {}, which have no direction", c),
                     "Give a start that is not 0, or take metric = euclidean.");
  }
  check_start("init", centers, columns);
  return centers;
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

// All or none: rows without weight have no label yet, nor those of other ranks.
std::vector<std::int32_t> known(const std::vector<std::int32_t>& labels) {
  const bool all = std::find(labels.begin(), labels.end(), -1) == labels.end();
  return all ? labels : std::vector<std::int32_t>();
}

bool any_empty(const std::vector<double>& weights) {
  return std::find(weights.begin(), weights.end(), 0.0) != weights.end();
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

// J comes from differences when the table has fewer values than this, and once it is a smaller part
// of the scatter of the rows than kClose: then a frame would cost it digits.
constexpr Index kManyValues = Index{1} << 20;
constexpr double kClose = 1e-3;

// Comparisons, of all: fewer spared do not pay for asking, nor when a row has fewer multiplications
// left than bounds cost; and for taking rows part by part.
constexpr double kWorthwhile = 0.125, kCostOfBounds = 512, kWorthwhileByParts = 0.35;

using Pass = KMeans::Statistics::Pass;

Pass first_pass(KMeans::Algorithm algorithm) {
  if (algorithm == KMeans::Algorithm::kLloyd) return Pass::kAll;
  return algorithm == KMeans::Algorithm::kHamerly ? Pass::kRecord : Pass::kCompare;
}

// `cost`: multiplications of a row.
Pass pass_after(Pass last, KMeans::Algorithm algorithm, Index parts, double cost, double spared) {
  if (algorithm == KMeans::Algorithm::kLloyd) return Pass::kAll;
  if (algorithm == KMeans::Algorithm::kHamerly) return Pass::kSpare;
  const double least = std::max(parts > 1 ? kWorthwhileByParts : kWorthwhile, kCostOfBounds / cost);
  if (spared < least) return Pass::kCompare;
  return last == Pass::kCompare ? Pass::kRecord : Pass::kSpare;
}

// Of the centres, for bounds. A part must be worth a visit: many columns, and kPart centres or so.
Index parts_of(Index k, Index columns, bool sparse) {
  constexpr Index kPart = 16, kMost = 64, kLeastColumns = 32;
  if (sparse || columns < kLeastColumns || k < 4 * kPart) return 1;
  return std::min(kMost, k / kPart);
}

// About the mean, or 0 for sparse rows. The mean is not exact: a constant column may lie beside it.
Frame frame_for(const Source& x, const ColumnStatistics& columns, Index k, double scatter) {
  std::vector<double> origin = columns.mean(), most;
  for (std::size_t j = 0; j < origin.size(); ++j) {
    const double beside = (columns.sparse() ? 1 : 0x1p-40) * std::abs(origin[j]);
    most.push_back(columns.weight() * (columns.range(static_cast<Index>(j)) + beside));
    if (columns.sparse()) origin[j] = 0;
  }
  most.push_back(columns.weight());
  return {scatter, ExactSums(k, std::move(origin), most, x.shape().rows)};
}

}  // namespace

void describe(OptionVisitor& v, KMeans::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_clusters", o.n_clusters, 1, kMost, "number of clusters");
  v.choice("metric", o.metric, {"euclidean", "cosine"},
           "rows are compared by their distance, or by the angle between them alone");
  v.choice_or_array(
      "init", o.init, o.centers, {"k-means++", "random", "k-means||"},
      "where to start: k-means++, random rows, k-means|| (few passes), or an array of "
      "centres (k x columns)");
  v.integer("n_local_trials", o.n_local_trials, 0, kMost,
            "rows that k-means++ draws for each centre, to keep the best; 1 is the plain rule, 0 "
            "stands for 2 + ln(n_clusters)");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the centres, at most");
  v.number("tol", o.tol, 0, INFINITY,
           "stop when the squared shift of the centres is below tol times the mean variance");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
  v.choice(
      "algorithm", o.algorithm, {"auto", "lloyd", "hamerly"},
      "lloyd compares all rows with all centres, hamerly spares what it can, auto changes over; "
      "the result is the same");
  v.not_in_digest();
}

Fit<KMeans> KMeans::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const ColumnStatistics columns = check_table(x, exec, Takes::kSparseToo);
  check_rows(x, columns, options.n_clusters);
  Fit<KMeans> fit = [&] {
    if (options.metric == Metric::kEuclidean) return fit_rows(x, options, columns, exec);
    UnitRows rows(x);
    return fit_rows(rows, options, check_table(rows, exec, Takes::kSparseToo), exec);
  }();
  fit.report.data_hash = columns.data_hash();
  if (!options.centers.empty() && options.n_init > 1) {
    fit.report.notes.push_back(
        {"given-start", fmt::format("init is given, so there was one start, not n_init = {}. Leave "
                                    "n_init out.",
                                    options.n_init)});
  }
  return fit;
}

Fit<KMeans> KMeans::fit_rows(Source& x, const Options& options, const ColumnStatistics& columns,
                             const Exec& exec) {
  check_spread(x, columns);
  const double spread = columns.mean_variance();
  double scatter = columns.weight() * static_cast<double>(x.shape().cols) * spread;
  // Distances of sparse rows are made from squares of the centres (differences.h).
  for (const double mean : columns.mean()) {
    if (columns.sparse()) scatter += columns.weight() * mean * mean;
  }
  // Of rows at length 1 that all point one way little but rounding is left: each coordinate of a
  // row and of its centre is off by a few last places of 1, which changes the square of their
  // distance r by 2 r e + e^2, e the length of all these; over the rows r is the root of the
  // scatter at most.
  double noise = 0;
  if (options.metric == Metric::kCosine) {
    constexpr double kPlaces = 8 * std::numeric_limits<double>::epsilon();
    const double e = kPlaces * std::sqrt(static_cast<double>(x.shape().cols));
    noise = columns.weight() * e * (2 * std::sqrt(scatter / columns.weight()) + e);
  }
  const EmOptions em_options{.max_iter = options.max_iter,
                             .tol = options.tol * spread,
                             .rule = Convergence::kShift,
                             .scale = scatter,
                             .noise = noise};
  const Index parts = options.algorithm == Algorithm::kLloyd
                          ? 1
                          : parts_of(options.n_clusters, x.shape().cols, columns.sparse());
  RowBounds bounds(x.shape().rows, parts, std::sqrt(scatter / columns.weight()));
  const Frame nothing = frame_for(x, columns, options.n_clusters, scatter);
  std::optional<Fit<KMeans>> best;
  std::vector<std::vector<double>> traces;
  const Index trials = options.centers.empty() ? options.n_init : 1;
  const RowKind kind = row_kind(x);
  for (Index trial = 0; trial < trials; ++trial) {
    if (exec.progress != nullptr && trials > 1) exec.progress->start(trial, trials);
    const double close = kClose * scatter * (options.metric == Metric::kCosine ? 0.5 : 1);
    Pass pass = first_pass(options.algorithm);
    bool exact = x.shape().rows * x.shape().cols < kManyValues, last_exact = exact;
    KMeans start(start_of(x, options, columns, trial, exec), options.metric, parts, kind);
    Frame frame = nothing;
    const double cost = static_cast<double>(options.n_clusters * x.shape().cols);
    bounds.start(start.nearest_.part_of_centres());
    const auto exactly = [&](const KMeans& model) { return fold(x, Statistics(model), exec); };
    const auto step = [&](KMeans& model, const Statistics& s) {
      return options.metric == Metric::kCosine ? model.turn(s) : model.update(s);
    };
    auto fit = em(
        x, std::move(start),
        [&](const KMeans& model) {
          last_exact = exact;
          return Statistics(model, &bounds, pass, exact ? nullptr : &frame);
        },
        [&](KMeans& model, const Statistics& s) {
          const Array before = model.centers();
          const bool lost = !exact && any_empty(s.weights());  // where to? ask for the farthest row
          const EmStep done = step(model, lost ? exactly(model) : s);
          if (!exact) frame.sums.merge(s.moved());
          bounds.move(before, model.centers());
          pass = pass_after(pass, options.algorithm, parts, cost, s.spared());
          exact = exact || -done.objective < close;
          return done;
        },
        em_options, exec);
    if (!last_exact && -fit.report.objective < close) {
      fit.report.objective = fit.report.trace.back() = exactly(fit.model).objective();
    }
    traces.push_back(fit.report.trace);
    if (best && best->report.objective >= fit.report.objective) continue;
    KMeans model(fit.model.centers(), options.metric);  // for rows of any kind
    model.weights_.values = fit.statistics.weights();
    note_empty_clusters(model.weights_.values, fit.report);
    best = Fit<KMeans>{std::move(model), std::move(fit.report)};
    best->labels = known(bounds.labels);
  }
  if (trials > 1) best->report.start_traces = std::move(traces);
  const bool drawn = options.centers.empty() && options.n_clusters > 1;
  if (drawn && trials == 1 && best->report.objective < 0) {
    best->report.notes.push_back(one_start());
  }
  return *std::move(best);
}

}  // namespace craton
