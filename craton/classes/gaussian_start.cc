#include "craton/classes/gaussian_start.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/classes/gaussian_options.h"
#include "craton/classes/start_metric.h"
#include "craton/classes/start_sample.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/core/em.h"
#include "craton/core/for_each.h"

// Cost: one pass to draw the sample; then, on the sample, k-means and a few passes for each run.

namespace craton {
namespace {

using Options = GaussianMixture::Options;
using Init = GaussianMixture::Init;
using Statistics = GaussianMixture::Statistics;

// Rows of the sample, and of that of the first steps: at least, and for each number of the means.
constexpr Index kRows = 8192, kRowsShare = 16, kFewRows = 2048, kFewRowsShare = 8;
// Runs of the first start; and of the others of n_init, or of many columns, where steps cost d^2.
// tests/reference/gaussian_starts.py shows what they are worth.
constexpr Index kRuns = 6, kFewRuns = 2, kManyColumns = 64, kFinalists = 3;
constexpr Index kClusterSteps = 10, kFirstSteps = 5, kLastSteps = 10;
constexpr double kSame = 1e-6;  // nats a row

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

// The best come first.
void keep_best(std::vector<Run>& runs, Index count) {
  for (std::size_t to = 0; to < runs.size(); ++to) {
    std::size_t best = to;
    for (std::size_t i = to + 1; i < runs.size(); ++i) {
      if (better(runs[i], runs[best])) best = i;
    }
    std::rotate(runs.begin() + static_cast<Index>(to), runs.begin() + static_cast<Index>(best),
                runs.begin() + static_cast<Index>(best) + 1);
  }
  while (std::ssize(runs) > count) runs.pop_back();
}

// Lets the caller stop short runs, and tells it nothing of them.
class Quiet final : public Progress {
 public:
  explicit Quiet(Progress* outer) : outer_(outer) {}
  bool keep_going() override { return outer_ == nullptr || outer_->keep_going(); }

 private:
  Progress* outer_;
};

// The variance that each column is measured in.
std::vector<double> unit_variances(const Options& o, const ColumnStatistics& columns) {
  std::vector<double> variance = columns.variance();
  const bool balls = o.covariance_type == GaussianMixture::Covariance::kSpherical;
  for (double& v : variance) {
    if (balls) v = columns.mean_variance();
    if (v == 0) v = 1;
  }
  return variance;
}

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

}  // namespace

struct GaussianStarts::State {
  Source& x;
  const Options& options;
  const ColumnStatistics& columns;
  mutable Quiet quiet;
  Exec exec;
  StartMetric units;
  StartSample sample = {};                             // empty when the means are given
  std::optional<StartMetric> whitened = std::nullopt;  // where covariances are whole

  // One of the starts: means from a sample, in the coordinates of a metric.
  Array means(const StartSample& rows, const StartMetric& metric, Index number,
              const Exec& on) const {
    const std::vector<float> z = metric.coordinates(rows.x, on);
    MemorySource source({.x = Dense<float>{z.data(), rows.size(), rows.x.cols(), rows.x.cols()},
                         .weights = rows.weights});
    Array centres = choose_start(
        source,
        {.rule = options.init_params == Init::kRandom ? StartRule::kRandom : StartRule::kPlusPlus,
         .k = options.n_components,
         .seed = static_cast<std::uint64_t>(options.random_state),
         .trial = static_cast<std::uint32_t>(number),
         .option = "n_components",
         .local_trials =
             options.init_params == Init::kKMeans ? default_local_trials(options.n_components) : 1},
        on);
    if (options.init_params != Init::kKMeans) return metric.restored(std::move(centres));
    KMeans::Options clusters;
    clusters.n_clusters = options.n_components;
    clusters.max_iter = kClusterSteps;
    clusters.centers = std::move(centres);
    return metric.restored(KMeans::fit(source, clusters, on).model.centers());
  }

  // Each row to the nearest mean, and an M-step; what is given wins.
  GaussianMixture mixture_at(Source& rows, Array means, const StartMetric& metric,
                             const Exec& on) const {
    const Index k = options.n_components, d = x.shape().cols;
    const Array known = known_weights(options);
    const Array& weights = known.empty() ? options.weights_init : known;
    const Array covariances = !options.known_covariances.empty() ? options.known_covariances
                              : !options.precisions_init.empty() ? given_covariances(options, d)
                                                                 : Array{};
    const bool whole = !weights.empty() && !covariances.empty() && !options.means_init.empty();
    if (whole) return GaussianMixture(weights, std::move(means), covariances);
    // With equal weights and one covariance the best component is the nearest.
    GaussianMixture model(equal_weights(k), std::move(means),
                          broad_covariances(options, metric, d));
    GaussianUpdate update(options, columns);
    update(model, fold(rows, Statistics(model, GaussianMixture::Assignment::kHard), on));
    return GaussianMixture(weights.empty() ? model.weights() : weights,
                           options.means_init.empty() ? model.means() : options.means_init,
                           covariances.empty() ? model.covariances() : covariances);
  }

  // A few steps of EM.
  Run run(const StartSample& rows, GaussianMixture start, Index iterations, const Exec& on) const {
    GaussianUpdate update(options, columns);
    EmOptions few = em_options(options, x.shape().cols);
    few.max_iter = iterations;
    MemorySource source = rows.source();
    auto result = em(
        source, std::move(start),
        [&](const GaussianMixture& model) {
          return Statistics(model, options.assignment, update.prior().log_density(model));
        },
        [&](GaussianMixture& model, const Statistics& s) { return update(model, s); }, few, on);
    return {std::move(result.model), result.report.objective, update.forced()};
  }
};

GaussianStarts::GaussianStarts(Source& x, const Options& options, const ColumnStatistics& columns,
                               const Exec& exec) {
  const Index k = options.n_components, d = x.shape().cols;
  const std::vector<double> variances = unit_variances(options, columns);
  auto state = std::make_unique<State>(State{x, options, columns, Quiet(exec.progress), exec,
                                             StartMetric(columns.mean(), variances)});
  state->exec.progress = &state->quiet;
  if (options.means_init.empty()) {
    std::vector<double> units = variances;
    for (double& v : units) v = std::sqrt(v);
    const Index size = std::max(kRows, kRowsShare * k * d);
    state->sample = draw_sample(x, columns, units, size, state->exec);
    const Index distinct = state->sample.size();
    if (distinct < k) fail_too_few(x, {.k = k, .option = "n_components"}, distinct);
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
  if (!o.means_init.empty()) return s.mixture_at(s.x, o.means_init, s.units, s.exec);
  const auto start = [&](const StartSample& rows, Index i, const Exec& on) {
    const StartMetric& metric = i % 2 == 1 && s.whitened ? *s.whitened : s.units;
    MemorySource source = rows.source();
    return s.mixture_at(source, s.means(rows, metric, trial * kRuns + i, on), metric, on);
  };
  const bool plain = o.init_params != Init::kKMeans || o.n_components == 1 ||
                     !o.weights_init.empty() || !o.precisions_init.empty();
  if (plain) return start(s.sample, 0, s.exec);

  const Index d = s.x.shape().cols;
  const StartSample few = s.sample.first(std::max(kFewRows, kFewRowsShare * o.n_components * d));
  const bool quick = d <= kManyColumns;
  std::vector<std::optional<Run>> first(usize(quick && trial == 0 ? kRuns : kFewRuns));
  const auto first_steps = [&](Index i, const Exec& on) {
    first[usize(i)] = s.run(few, start(few, i, on), kFirstSteps, on);
  };
  // Quick runs go side by side, each on one thread; long ones can be stopped.
  if (quick) for_each(std::ssize(first), s.exec, [&](Index i) { first_steps(i, {.threads = 1}); });
  for (Index i = 0; !quick && i < std::ssize(first); ++i) first_steps(i, s.exec);

  std::vector<Run> runs;
  for (std::optional<Run>& run : first) runs.push_back(*std::move(run));
  keep_best(runs, kFinalists);
  for (Run& run : runs) run = s.run(s.sample, std::move(run.model), kLastSteps, s.exec);
  keep_best(runs, 1);
  return std::move(runs[0].model);
}

GaussianMixture start_from(const GaussianMixture& model, const Options& o) {
  const Array weights = known_weights(o);
  return GaussianMixture(weights.empty() ? model.weights() : weights, model.means(),
                         o.known_covariances.empty() ? model.covariances() : o.known_covariances);
}

}  // namespace craton
