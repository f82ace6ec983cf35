#include "craton/classes/mixture_start.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/core/random.h"
#include "craton/density/density_passes.h"

namespace craton {
namespace {

using Init = Mixture::Init;

constexpr Index kRuns = 4, kFewRuns = 2, kClusterSteps = 10, kSteps = 8;
constexpr double kWide = 32;            // of positive numbers: greatest over least
constexpr Index kMostIndicators = 256;  // a column of more categories groups nothing
constexpr double kSame = 1e-6;          // nats a row: of runs that found the same the first is kept

// One column as coordinates, each a mean of 0; together of variance 1.
class Coordinates {
 public:
  explicit Coordinates(std::span<const double> weights) : weights_(weights) {}
  std::vector<std::vector<double>> columns;

  void add(std::vector<std::vector<double>> parts) {
    double variance = 0;
    for (std::vector<double>& part : parts) variance += centre(part);
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    for (std::vector<double>& part : parts) {
      for (double& v : part) v *= scale;
      columns.push_back(std::move(part));
    }
  }

 private:
  // Missing values become the mean, which becomes 0. Returns the variance.
  double centre(std::vector<double>& v) const {
    double n = 0, sum = 0, square = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (std::isnan(v[i])) continue;
      n += weights_[i];
      sum += weights_[i] * v[i];
    }
    const double mean = n > 0 ? sum / n : 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = std::isnan(v[i]) ? 0 : v[i] - mean;
      square += weights_[i] * v[i] * v[i];
    }
    return n > 0 ? square / n : 0;
  }
  std::span<const double> weights_;
};

std::vector<std::vector<double>> parts_of(const Feature& feature, std::vector<double> values) {
  encode(feature, values);
  std::vector<std::vector<double>> parts;
  const auto add = [&](auto f) {
    std::vector<double>& part = parts.emplace_back(values);
    for (double& v : part) v = std::isnan(v) ? v : f(v);
  };
  if (feature.categories() && !feature.buckets) {
    if (feature.levels > kMostIndicators) return {};
    for (Index level = 0; level < feature.levels; ++level) {
      add([&](double v) { return v == static_cast<double>(level) ? 1.0 : 0.0; });
    }
    return parts;
  }
  Extent extent;
  extent.add(values);
  const Support support = feature.family->info().support;
  if (support == Support::kAngle) {
    add([](double v) { return std::cos(v); });
    add([](double v) { return std::sin(v); });
  } else if (support == Support::kCounts) {
    add([](double v) { return std::sqrt(v + 0.375); });  // Anscombe: of about constant variance
  } else if (extent.low > 0 && extent.high > kWide * extent.low) {
    add([](double v) { return std::log(v); });
  } else {
    add([](double v) { return v; });
  }
  return parts;
}

}  // namespace

MixtureStarts::MixtureStarts(const LabelledSample& rows, const Schema& schema,
                             const Mixture::Options& options, const Exec& exec)
    : rows_(rows), schema_(schema), options_(options), exec_(exec) {}

std::vector<float> MixtureStarts::coordinates(std::span<const Feature> features,
                                              Index& columns) const {
  Coordinates all(rows_.weights);
  for (const Feature& feature : features) {
    std::vector<double> values;
    copy_column(rows_.x.view(), feature.column, values);
    all.add(parts_of(feature, std::move(values)));
  }
  if (all.columns.empty()) all.columns.emplace_back(usize(rows_.rows()));
  columns = ssize(all.columns);
  std::vector<float> z(usize(rows_.rows() * columns));
  for (std::size_t j = 0; j < all.columns.size(); ++j) {
    for (std::size_t i = 0; i < usize(rows_.rows()); ++i) {
      z[i * all.columns.size() + j] = static_cast<float>(all.columns[j][i]);
    }
  }
  return z;
}

std::vector<std::int32_t> MixtureStarts::groups(std::span<const Feature> features,
                                                Index number) const {
  Index d = 0;
  std::vector<std::int32_t> labels(usize(rows_.rows()));
  if (too_few()) {  // each row a group of its own
    std::iota(labels.begin(), labels.end(), 0);
    return labels;
  }
  const std::vector<float> z = coordinates(features, d);
  MemorySource source({.x = Dense<float>{z.data(), rows_.rows(), d, d}, .weights = rows_.weights});
  const Index k = options_.n_components;
  const bool clusters = options_.init_params == Init::kKMeans;
  const Array centres =
      choose_start(source,
                   {.rule = options_.init_params == Init::kRandomRows ? StartRule::kRandom
                                                                      : StartRule::kPlusPlus,
                    .k = k,
                    .seed = static_cast<std::uint64_t>(options_.random_state),
                    .trial = static_cast<std::uint32_t>(number),
                    .option = "n_components",
                    .repeat = true,
                    .local_trials = clusters ? default_local_trials(k) : 1},
                   exec_);
  KMeans::Options steps;
  steps.n_clusters = k;
  steps.max_iter = clusters ? kClusterSteps : 0;
  steps.centers = centres;
  KMeans::fit(source, steps, exec_).model.predict(source, labels, exec_);
  return labels;
}

ClassStatistics MixtureStarts::shares(const std::vector<Feature>& features, Index number) const {
  const std::size_t k = usize(options_.n_components), n = usize(rows_.rows());
  MemorySource source = rows_.source(schema_);
  ClassStatistics seen(source, features, options_.n_components);
  std::vector<double> weights(n * k);
  if (options_.init_params == Init::kRandom || too_few()) {
    // Uniform over all ways to share a row: exponential numbers, normalised.
    for (std::size_t i = 0; i < n; ++i) {
      Random random(static_cast<std::uint64_t>(options_.random_state), Purpose::kStart,
                    static_cast<std::uint32_t>(number), i);
      double sum = 0;
      for (std::size_t z = 0; z < k; ++z) sum += weights[i * k + z] = -std::log(random.uniform());
      for (std::size_t z = 0; z < k; ++z) weights[i * k + z] *= rows_.weights[i] / sum;
    }
  } else {
    const std::vector<std::int32_t> groups = this->groups(features, number);
    for (std::size_t i = 0; i < n; ++i) weights[i * k + usize(groups[i])] = rows_.weights[i];
  }
  seen.share({.first_row = 0, .x = rows_.x.view(), .labels = {}, .targets = {}, .weights = {}},
             weights);
  return seen;
}

ClassProduct MixtureStarts::choose(const std::vector<Feature>& features, Index trial) const {
  const bool plain = options_.init_params != Init::kKMeans || options_.n_components == 1;
  const Index runs = plain ? 1 : trial == 0 ? kRuns : kFewRuns;
  std::optional<Run> best;
  for (Index i = 0; i < runs; ++i) {
    const ClassStatistics seen = shares(features, trial * kRuns + i);
    std::vector<Statistics> columns;
    for (std::size_t f = 0; f < features.size(); ++f) columns.push_back(seen.of_all_classes(f));
    const ProductEstimator estimator(features, std::move(columns), options_.choice.smoothing,
                                     {{}, options_.weight_concentration});
    ClassProduct start = estimator.estimate(seen);
    if (runs == 1) return start;
    MemorySource source = rows_.source(schema_);
    EmOptions few;
    few.max_iter = kSteps;
    few.tol = options_.tol;
    Latent latent = options_.latent;
    latent.labels = false;
    ProductFit run = product_em(source, std::move(start), estimator, latent, few, exec_);
    if (best && run.report.objective <= best->objective + kSame) continue;
    best = Run{std::move(run.model), run.report.objective};
  }
  return std::move(best->model);
}

}  // namespace craton
