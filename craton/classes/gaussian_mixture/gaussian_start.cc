#include "craton/classes/gaussian_mixture/gaussian_start.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/base/random.h"
#include "craton/classes/gaussian_mixture/gaussian_exchange.h"
#include "craton/classes/gaussian_mixture/gaussian_options.h"
#include "craton/classes/gaussian_mixture/start_metric.h"
#include "craton/classes/start_sample.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/engine/em.h"
#include "craton/engine/for_each.h"

// Cost: one pass to draw the sample; then, on the sample, k-means and a few passes for each run,
// and the passes of exchanges.

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Init = GaussianMixture::Init;
using Statistics = GaussianMixture::Statistics;

// Rows of the sample, and of that of the first steps: at least, and for each number of the means.
constexpr Index kRows = 8192, kRowsShare = 16, kFewRows = 2048, kFewRowsShare = 8;
// Many columns have fewer runs, since steps cost d^2. tests/reference/gaussian_starts.py shows what
// runs are worth.
constexpr Index kManyColumns = 64, kFinalists = 3, kExchanges = 3;
constexpr Index kClusterSteps = 10, kFirstSteps = 5, kLastSteps = 25;
constexpr double kSame = 1e-6;  // nats a row

// Where the groups of a run come from.
enum class Kind {
  kOwn,       // k-means in the units of the rows
  kUnits,     // k-means in standard deviations of the columns
  kWhitened,  // k-means after whitening
  kCuts,      // one cut after another
  kDraws,     // the nearest of k-means++ draws
  kSomeRows,  // the nearest of random rows
  kShares,    // every row is shared among all, at random
};

struct Run {
  GaussianMixture model;
  double objective;
  bool forced;  // onto the floor, or without a component
};

// By likelihood; but one that grows because a component shrinks onto few rows is no gain. Of runs
// that found the same the earlier is better: neither rounding nor units of measurement choose.
bool better(const Run& a, const Run& b) {
  if (a.forced != b.forced) return b.forced;
  return a.objective > b.objective + kSame;
}

// The best come first; of those that found the same there is one.
void keep_best(std::vector<Run>& runs, Index count) {
  std::vector<Run> kept;
  while (!runs.empty() && std::ssize(kept) < count) {
    auto best = runs.begin();
    for (auto run = runs.begin(); run < runs.end(); ++run) {
      if (better(*run, *best)) best = run;
    }
    if (kept.empty() || better(kept.back(), *best)) kept.push_back(std::move(*best));
    runs.erase(best);
  }
  runs = std::move(kept);
}

// Lets the caller stop short runs, and tells it nothing of them.
class Quiet final : public Progress {
 public:
  explicit Quiet(Progress* outer) : outer_(outer) {}
  bool keep_going() override { return outer_ == nullptr || outer_->keep_going(); }

 private:
  Progress* outer_;
};

Array equal_weights(Index k) {
  return {{k}, std::vector<double>(usize(k), 1 / static_cast<double>(k))};
}

// Those that are not estimated; none when all are.
Array known_weights(const Options& o) {
  if (!o.known_weights.empty()) return o.known_weights;
  if (o.weights == GaussianMixture::Weights::kEqual) return equal_weights(o.n_components);
  return {};
}

// The covariance of a metric for every component, in the shape of the parameter.
Array broad_covariances(const Options& o, const StartMetric& metric, Index d) {
  Array result{covariance_shape(o, d), {}};
  const std::vector<double> one = metric.covariance(triangular(o));
  for (Index c = 0; c < result.rows(); ++c) {
    result.values.insert(result.values.end(), one.begin(),
                         result.shape.size() == 1 ? one.begin() + 1 : one.end());
  }
  return result;
}

GroupShape shape_of(const Options& o) {
  if (triangular(o)) return GroupShape::kFull;
  return o.covariance_type == GaussianMixture::Covariance::kDiag ? GroupShape::kDiagonal
                                                                 : GroupShape::kBall;
}

}  // namespace

struct GaussianStarts::State {
  Source& x;
  const Options& options;
  const ColumnStatistics& columns;
  mutable Quiet quiet;
  Exec exec;
  StartMetric own, units;                              // balls have one unit for all columns
  StartSample sample = {}, few = {};                   // none when the means are given
  std::optional<StartMetric> whitened = std::nullopt;  // where covariances are whole
  std::optional<GroupCuts> cuts = std::nullopt;        // of the few

  bool balls() const { return shape_of(options) == GroupShape::kBall; }
  bool quick() const { return x.shape().cols <= kManyColumns; }

  // The first start tries all kinds; each of the others two, in turn.
  std::vector<Kind> kinds(Index trial) const {
    switch (options.init_params) {
      case Init::kPlusPlus:
        return {Kind::kDraws};
      case Init::kRandomRows:
        return {Kind::kSomeRows};
      case Init::kRandom:
        return {Kind::kShares};
      case Init::kKMeans:
        break;
    }
    std::vector<Kind> all{Kind::kOwn};
    if (!balls()) all.push_back(Kind::kUnits);
    if (whitened) all.push_back(Kind::kWhitened);
    if (trial > 0) {
      all.push_back(Kind::kDraws);
      const Index turns = ssize(all), first = 2 * (trial - 1);
      return {all[usize(first % turns)], all[usize((first + 1) % turns)]};
    }
    if (!quick()) return all;
    all.insert(all.end(), all.begin(), all.begin() + ssize(all));
    all.push_back(Kind::kCuts);
    return all;
  }

  // Rows by the nearest of some centres in the coordinates of a metric, which k-means moves.
  std::vector<std::int32_t> nearest(const StartSample& rows, const StartMetric& metric,
                                    StartRule rule, Index steps, Index number,
                                    const Exec& on) const {
    const std::vector<float> z = metric.coordinates(rows.x, on);
    MemorySource source({.x = Dense<float>{z.data(), rows.size(), rows.x.cols(), rows.x.cols()},
                         .weights = rows.weights});
    KMeans::Options clusters;
    clusters.n_clusters = options.n_components;
    clusters.max_iter = steps;
    clusters.centers =
        choose_start(source,
                     {.rule = rule,
                      .k = options.n_components,
                      .seed = static_cast<std::uint64_t>(options.random_state),
                      .trial = static_cast<std::uint32_t>(number),
                      .option = "n_components",
                      .local_trials = steps > 0 ? default_local_trials(options.n_components) : 1},
                     on);
    std::vector<std::int32_t> labels(usize(rows.size()));
    KMeans::fit(source, clusters, on).model.predict(source, labels, on);
    return labels;
  }

  std::vector<std::int32_t> labels(const StartSample& rows, Kind kind, Index number,
                                   const Exec& on) const {
    switch (kind) {
      case Kind::kCuts:
        return cuts->divide(rows_that_count(rows.weights), options.n_components);
      case Kind::kDraws:
        return nearest(rows, units, StartRule::kPlusPlus, 0, number, on);
      case Kind::kSomeRows:
        return nearest(rows, units, StartRule::kRandom, 0, number, on);
      default:
        break;
    }
    const StartMetric& metric = kind == Kind::kOwn        ? own
                                : kind == Kind::kWhitened ? *whitened
                                                          : units;
    return nearest(rows, metric, StartRule::kPlusPlus, kClusterSteps, number, on);
  }

  Shares groups(const StartSample& rows, Kind kind, Index number, const Exec& on) const {
    const std::size_t k = usize(options.n_components);
    Shares shares(usize(rows.size()) * k);
    if (kind == Kind::kShares) {
      // Uniform over all ways to share a row: exponential numbers, normalised.
      for (std::size_t i = 0; i < usize(rows.size()); ++i) {
        Random random(static_cast<std::uint64_t>(options.random_state), Purpose::kStart,
                      static_cast<std::uint32_t>(number), i);
        double sum = 0;
        for (std::size_t c = 0; c < k; ++c) sum += shares[i * k + c] = -std::log(random.uniform());
        for (std::size_t c = 0; c < k; ++c) shares[i * k + c] *= rows.weights[i] / sum;
      }
      return shares;
    }
    const std::vector<std::int32_t> group = labels(rows, kind, number, on);
    for (std::size_t i = 0; i < group.size(); ++i) {
      shares[i * k + usize(group[i])] = rows.weights[i];
    }
    return shares;
  }

  Shares posteriors(const StartSample& rows, const GaussianMixture& model) const {
    const std::size_t k = usize(options.n_components);
    Shares shares(usize(rows.size()) * k);
    MemorySource source = rows.source();
    model.predict_log_proba(source, shares, exec);
    const std::vector<double> weights = rows_that_count(rows.weights);
    for (std::size_t i = 0; i < shares.size(); ++i)
      shares[i] = std::exp(shares[i]) * weights[i / k];
    return shares;
  }

  // What is given wins.
  GaussianMixture with_given(const GaussianMixture& model) const {
    const Array known = known_weights(options);
    const Array& weights = known.empty() ? options.weights_init : known;
    const Array covariances = !options.known_covariances.empty() ? options.known_covariances
                              : !options.precisions_init.empty()
                                  ? given_covariances(options, x.shape().cols)
                                  : Array{};
    return GaussianMixture(weights.empty() ? model.weights() : weights,
                           options.means_init.empty() ? model.means() : options.means_init,
                           covariances.empty() ? model.covariances() : covariances);
  }

  // Components of one width at the means.
  GaussianMixture broad(Array means) const {
    return GaussianMixture(equal_weights(options.n_components), std::move(means),
                           broad_covariances(options, units, x.shape().cols));
  }

  // Each row to the nearest of the given means, and an M-step.
  GaussianMixture mixture_at_given() const {
    const bool whole = (!options.weights_init.empty() || !known_weights(options).empty()) &&
                       (!options.precisions_init.empty() || !options.known_covariances.empty());
    GaussianMixture model = broad(options.means_init);
    if (whole) return with_given(model);
    // With equal weights and one covariance the best component is the nearest.
    GaussianUpdate update(options, columns);
    update(model, fold(x, Statistics(model, GaussianMixture::Assignment::kHard), exec));
    return with_given(model);
  }

  // The M-step of shared rows. Sums are taken about the means that they have.
  GaussianMixture mixture_of(const StartSample& rows, const Shares& shares) const {
    const std::size_t k = usize(options.n_components), d = usize(rows.x.cols());
    Array means{{options.n_components, rows.x.cols()}, std::vector<double>(k * d)};
    std::vector<double> n(k);
    for (std::size_t i = 0; i < usize(rows.size()); ++i) {
      for (std::size_t c = 0; c < k; ++c) {
        const double share = shares[i * k + c];
        if (share == 0) continue;
        n[c] += share;
        for (std::size_t j = 0; j < d; ++j) {
          double& mean = means.values[c * d + j];
          mean += share / n[c] * (rows.x.values[i * d + j] - mean);
        }
      }
    }
    for (std::size_t c = 0; c < k; ++c) {
      if (n[c] > 0) continue;
      std::copy(columns.mean().begin(), columns.mean().end(), &means.values[c * d]);
    }
    GaussianMixture model = broad(std::move(means));
    Statistics statistics(model);
    statistics.share(rows.x.view(), shares);
    GaussianUpdate update(options, columns);
    update(model, statistics);
    return with_given(model);
  }

  // A few steps of EM.
  Run run(const StartSample& rows, GaussianMixture start, Index iterations, const Exec& on) const {
    GaussianUpdate update(options, columns);
    EmOptions few_steps = em_options(options, columns);
    few_steps.max_iter = iterations;
    MemorySource source = rows.source();
    auto result = em(
        source, std::move(start),
        [&](const GaussianMixture& model) {
          return Statistics(model, options.assignment, update.prior().log_density(model));
        },
        [&](GaussianMixture& model, const Statistics& s) { return update(model, s); }, few_steps,
        on);
    return {std::move(result.model), result.report.objective, update.forced()};
  }

  // The first steps of several runs. Quick ones go side by side, each on one thread; long ones can
  // be stopped.
  template <class StartOf>
  std::vector<Run> first_steps(Index count, const StartOf& start) const {
    std::vector<std::optional<Run>> first(usize(count));
    const auto steps = [&](Index i, const Exec& on) {
      first[usize(i)] = run(few, start(i, on), kFirstSteps, on);
    };
    if (quick()) for_each(count, exec, [&](Index i) { steps(i, {.threads = 1}); });
    for (Index i = 0; !quick() && i < count; ++i) steps(i, exec);
    std::vector<Run> runs;
    for (std::optional<Run>& run : first) runs.push_back(*std::move(run));
    return runs;
  }

  // Moves components from a group that two share to one that holds two, while that helps.
  Run exchanged(Run best) const {
    for (Index round = 0; round < options.n_components; ++round) {
      const std::vector<Shares> next =
          exchanges(best.model, posteriors(few, best.model), *cuts, kExchanges);
      if (next.empty()) break;
      std::vector<Run> runs = first_steps(
          std::ssize(next), [&](Index i, const Exec&) { return mixture_of(few, next[usize(i)]); });
      keep_best(runs, 1);
      const Run now = run(few, best.model, 0, exec);
      if (!better(runs[0], {best.model, now.objective, best.forced})) break;
      Run moved = run(sample, std::move(runs[0].model), kLastSteps, exec);
      if (!better(moved, best)) break;
      best = std::move(moved);
    }
    return best;
  }
};

GaussianStarts::GaussianStarts(Source& x, const Options& options, const ColumnStatistics& columns,
                               const Exec& exec) {
  const Index k = options.n_components, d = x.shape().cols;
  const bool balls = shape_of(options) == GroupShape::kBall;
  std::vector<double> own(usize(d), columns.mean_variance()), variances = columns.variance();
  for (double& v : variances) v = balls ? columns.mean_variance() : v;
  for (auto* values : {&own, &variances}) {
    for (double& v : *values) v = v == 0 ? 1 : v;
  }
  auto state = std::make_unique<State>(State{x, options, columns, Quiet(exec.progress), exec,
                                             StartMetric(columns.mean(), own),
                                             StartMetric(columns.mean(), variances)});
  state->exec.progress = &state->quiet;
  if (options.means_init.empty()) {
    std::vector<double> units = variances;
    for (double& v : units) v = std::sqrt(v);
    const Index size = std::max(kRows, kRowsShare * k * d);
    state->sample = draw_sample(x, columns, units, size, state->exec);
    const Index distinct = state->sample.size();
    if (distinct < k) fail_too_few(x, {.k = k, .option = "n_components"}, distinct);
    state->few = state->sample.first(std::max(kFewRows, kFewRowsShare * k * d));
    state->cuts.emplace(state->few.x, columns.mean(), units, shape_of(options));
    if (triangular(options) && d > 1) {
      state->whitened =
          StartMetric::whitening(state->units, state->sample.x, state->sample.weights);
    }
  }
  state_ = std::move(state);
}

GaussianStarts::~GaussianStarts() = default;

GaussianMixture GaussianStarts::choose(Index trial) const {
  const State& s = *state_;
  const Options& o = s.options;
  if (!o.means_init.empty()) return s.mixture_at_given();
  const std::vector<Kind> kinds = s.kinds(trial);
  constexpr Index kMostRuns = 7;  // so that no two runs draw the same
  const auto start = [&](const StartSample& rows, Index i, const Exec& on) {
    return s.mixture_of(rows, s.groups(rows, kinds[usize(i)], trial * kMostRuns + i, on));
  };
  const bool plain = o.init_params != Init::kKMeans || o.n_components == 1 ||
                     !o.weights_init.empty() || !o.precisions_init.empty();
  if (plain) return start(s.sample, 0, s.exec);

  std::vector<Run> runs =
      s.first_steps(ssize(kinds), [&](Index i, const Exec& on) { return start(s.few, i, on); });
  keep_best(runs, kFinalists);
  for (Run& run : runs) run = s.run(s.sample, std::move(run.model), kLastSteps, s.exec);
  keep_best(runs, 1);
  return s.exchanged(std::move(runs[0])).model;
}

GaussianMixture start_from(const GaussianMixture& model, const Options& o) {
  const Array weights = known_weights(o);
  return GaussianMixture(weights.empty() ? model.weights() : weights, model.means(),
                         o.known_covariances.empty() ? model.covariances() : o.known_covariances);
}

}  // namespace craton
