#include "craton/classes/product/mixture_start.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "craton/base/inner_rows.h"
#include "craton/base/random.h"
#include "craton/base/row_of.h"
#include "craton/classes/group_cuts.h"
#include "craton/classes/start_sample.h"
#include "craton/cluster/kmeans.h"
#include "craton/cluster/starts.h"
#include "craton/density/density_passes.h"

namespace craton {
namespace {

using Init = Mixture::Init;

constexpr Index kClusterSteps = 10, kSteps = 8, kExchanges = 2;
constexpr Index kMostRuns = 4;          // of one start, so that no two draw the same
constexpr double kSoft = 0.1;           // of all rows in every group, where a value may have p = 0
constexpr double kWide = 32;            // of positive numbers: greatest over least
constexpr Index kMostIndicators = 256;  // a column of more categories groups nothing
constexpr double kSame = 1e-6;          // nats a row: of runs that found the same the first is kept

// Missing values become the mean, which becomes 0. Returns the variance.
double centre(std::vector<double>& v, std::span<const double> weights) {
  double n = 0, sum = 0, square = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (std::isnan(v[i])) continue;
    n += weights[i];
    sum += weights[i] * v[i];
  }
  const double mean = n > 0 ? sum / n : 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::isnan(v[i]) ? 0 : v[i] - mean;
    square += weights[i] * v[i] * v[i];
  }
  return n > 0 ? square / n : 0;
}

// Whether a group that lacks a value says that it never has it.
bool may_be_impossible(const Feature& feature) {
  const Support support = feature.family->info().support;
  const bool whole =
      feature.categories() || support == Support::kCounts || support == Support::kBinary;
  return whole && !std::holds_alternative<Range>(feature.family->empty(feature.levels));
}

bool is_number(const Feature& feature) {
  return (!feature.categories() || feature.buckets) &&
         feature.family->info().support != Support::kAngle;
}

// Components of the rows that are shared among them, along the axes.
GaussianMixture gaussians_of(const Array& z, const Shares& shares, Index components) {
  constexpr double kFloor = 1e-6;  // of columns of variance 1
  const std::size_t k = usize(components), d = usize(z.cols()), n = usize(z.rows());
  Array weights{{components}, std::vector<double>(k)};
  Array means{{components, z.cols()}, std::vector<double>(k * d)}, variances = means;
  double total = 0;
  for (std::size_t i = 0; i < n * k; ++i) {
    weights.values[i % k] += shares[i];
    total += shares[i];
  }
  const auto average = [&](Array& out, auto value) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < k; ++c) {
        if (shares[i * k + c] == 0) continue;
        const double share = shares[i * k + c] / weights.values[c];
        for (std::size_t j = 0; j < d; ++j)
          out.values[c * d + j] += share * value(i * d + j, c * d + j);
      }
    }
  };
  average(means, [&](std::size_t at, std::size_t) { return z.values[at]; });
  average(variances, [&](std::size_t at, std::size_t of) {
    const double y = z.values[at] - means.values[of];
    return y * y;
  });
  for (double& v : variances.values) v += kFloor;
  for (double& w : weights.values) w /= total;
  return GaussianMixture(std::move(weights), std::move(means), std::move(variances));
}

// Of columns that are centred and of variance 1.
GroupCuts cuts_of(const Array& z) {
  const std::size_t d = usize(z.cols());
  return GroupCuts(z, std::vector<double>(d), std::vector<double>(d, 1.0), GroupShape::kDiagonal);
}

// One column as coordinates.
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

MixtureStarts::Coordinates MixtureStarts::coordinates(std::span<const Feature> features,
                                                      bool own) const {
  struct Part {
    std::vector<std::vector<double>> parts;
    double variance = 0;
    bool number;
  };
  std::vector<Part> columns;
  double mean_variance = 0, numbers = 0;
  for (const Feature& feature : features) {
    std::vector<double> values;
    copy_column(rows_.x.view(), feature.column, values);
    Part column{{}, 0, is_number(feature)};
    if (own && column.number) {
      column.parts.push_back(std::move(values));
    } else {
      column.parts = parts_of(feature, std::move(values));
    }
    for (std::vector<double>& part : column.parts) {
      column.variance += centre(part, rows_.weights);
    }
    if (column.number) mean_variance += column.variance;
    numbers += column.number;
    columns.push_back(std::move(column));
  }
  mean_variance /= numbers;

  Coordinates z{0, {}, {}, {}};
  std::vector<std::vector<double>> all, of_numbers;
  for (Part& column : columns) {
    const double variance =
        own && column.number && std::isfinite(mean_variance) ? mean_variance : column.variance;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    for (std::vector<double>& part : column.parts) {
      for (double& v : part) v *= scale;
      if (column.number) of_numbers.push_back(part);
      all.push_back(std::move(part));
    }
  }
  if (all.empty() && schema_.inner.empty()) all.emplace_back(usize(rows_.rows()));
  z.columns = ssize(all);
  z.values.resize(usize(rows_.rows()) * all.size());
  z.numbers = {{rows_.rows(), ssize(of_numbers)}, {}};
  z.numbers.values.resize(usize(rows_.rows()) * of_numbers.size());
  for (std::size_t i = 0; i < usize(rows_.rows()); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      z.values[i * all.size() + j] = static_cast<float>(all[j][i]);
    }
    for (std::size_t j = 0; j < of_numbers.size(); ++j) {
      z.numbers.values[i * of_numbers.size() + j] = of_numbers[j][i];
    }
  }
  if (!schema_.inner.empty()) add_terms(z);
  return z;
}

void MixtureStarts::add_terms(Coordinates& z) const {
  const Index terms = schema_.inner[0].codes;
  const Inner inner = rows_.inner.view(terms);
  std::vector<double> rare(usize(terms));  // log(rows / rows that have the term)
  double rows = 0;
  for (Index i = 0; i < inner.rows; ++i) {
    rows += rows_.weights[usize(i)];
    const RowEntries<double> row = row_of(inner, i);
    for (Index e = 0; e < row.count; ++e) rare[usize(row.columns[e])] += rows_.weights[usize(i)];
  }
  for (double& v : rare) v = v > 0 ? std::log(rows / v) : 0;
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  const Index dense = z.columns;
  for (Index i = 0; i < inner.rows; ++i) {
    columns.clear();
    values.clear();
    for (Index j = 0; j < dense; ++j) {
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(static_cast<double>(z.values[usize(i * dense + j)]));
    }
    double square = 0;
    const RowEntries<double> row = row_of(inner, i);
    for (Index e = 0; e < row.count; ++e) {
      const double v = std::log1p(row.values[e]) * rare[usize(row.columns[e])];
      columns.push_back(static_cast<std::int32_t>(dense) + row.columns[e]);
      values.push_back(v);
      square += v * v;
    }
    for (std::size_t e = usize(dense); e < values.size() && square > 0; ++e) {
      values[e] /= std::sqrt(square);
    }
    z.sparse.add(columns.data(), values.data(), ssize(columns));
  }
  z.columns += terms;
  z.values.clear();
}

// The first start tries all kinds; each of the others two, in turn.
std::vector<MixtureStarts::Kind> MixtureStarts::kinds(Index trial, bool numbers) const {
  if (too_few()) return {Kind::kShares};
  switch (options_.init_params) {
    case Init::kPlusPlus:
      return {Kind::kDraws};
    case Init::kRandomRows:
      return {Kind::kSomeRows};
    case Init::kRandom:
      return {Kind::kShares};
    case Init::kKMeans:
      break;
  }
  if (options_.n_components == 1) return {Kind::kUnits};
  if (trial == 0) {
    if (numbers) return {Kind::kUnits, Kind::kOwn, Kind::kCuts, Kind::kUnits};
    return {Kind::kUnits, Kind::kUnits, Kind::kShares, Kind::kUnits};
  }
  const std::vector<Kind> turns = numbers ? std::vector{Kind::kOwn, Kind::kUnits, Kind::kDraws}
                                          : std::vector{Kind::kUnits, Kind::kShares, Kind::kDraws};
  const Index first = 2 * (trial - 1);
  return {turns[usize(first) % 3], turns[usize(first + 1) % 3]};
}

std::vector<std::int32_t> MixtureStarts::nearest(const Coordinates& z, Kind kind,
                                                 Index number) const {
  const Index k = options_.n_components;
  Memory rows{.x = Dense<float>{z.values.data(), rows_.rows(), z.columns, z.columns},
              .weights = rows_.weights};
  if (!z.sparse.offsets.empty()) rows.x = z.sparse.view(z.columns);
  MemorySource source(rows, {.columns = {}, .target = std::nullopt, .unnamed = z.columns});
  const bool clusters = kind == Kind::kUnits || kind == Kind::kOwn;
  KMeans::Options steps;
  steps.n_clusters = k;
  steps.max_iter = clusters ? kClusterSteps : 0;
  steps.centers =
      choose_start(source,
                   {.rule = kind == Kind::kSomeRows ? StartRule::kRandom : StartRule::kPlusPlus,
                    .k = k,
                    .seed = static_cast<std::uint64_t>(options_.random_state),
                    .trial = static_cast<std::uint32_t>(number),
                    .option = "n_components",
                    .repeat = true,
                    .local_trials = clusters ? default_local_trials(k) : 1},
                   exec_);
  std::vector<std::int32_t> labels(usize(rows_.rows()));
  KMeans::fit(source, steps, exec_).model.predict(source, labels, exec_);
  return labels;
}

std::vector<std::int32_t> MixtureStarts::groups(std::span<const Feature> features) const {
  if (!too_few()) return nearest(coordinates(features, false), Kind::kUnits, 0);
  std::vector<std::int32_t> labels(usize(rows_.rows()));
  std::iota(labels.begin(), labels.end(), 0);  // each row a group of its own
  return labels;
}

Shares MixtureStarts::shares(std::span<const Feature> features, Kind kind, Index number) const {
  const std::size_t k = usize(options_.n_components), n = usize(rows_.rows());
  Shares shares(n * k);
  if (kind == Kind::kShares) {
    // Uniform over all ways to share a row: exponential numbers, normalised.
    for (std::size_t i = 0; i < n; ++i) {
      Random random(static_cast<std::uint64_t>(options_.random_state), Purpose::kStart,
                    static_cast<std::uint32_t>(number), i);
      double sum = 0;
      for (std::size_t z = 0; z < k; ++z) sum += shares[i * k + z] = -std::log(random.uniform());
      for (std::size_t z = 0; z < k; ++z) shares[i * k + z] *= rows_.weights[i] / sum;
    }
    return shares;
  }
  const Coordinates z = coordinates(features, kind == Kind::kOwn);
  const std::vector<std::int32_t> groups =
      kind == Kind::kCuts
          ? cuts_of(z.numbers).divide(rows_that_count(rows_.weights), options_.n_components)
          : nearest(z, kind, number);
  for (std::size_t i = 0; i < n; ++i) shares[i * k + usize(groups[i])] = rows_.weights[i];
  return shares;
}

Shares MixtureStarts::posteriors(const ClassProduct& model) const {
  const std::size_t k = usize(options_.n_components);
  Shares shares(usize(rows_.rows()) * k);
  std::vector<Inner> inside;
  model.joint(rows_.chunk(schema_, inside), shares);
  const std::vector<double> weights = rows_that_count(rows_.weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double* q = &shares[i * k];
    const double top = *std::max_element(q, q + k);
    double sum = 0;
    for (std::size_t z = 0; z < k; ++z) sum += q[z] = std::exp(q[z] - top);
    for (std::size_t z = 0; z < k; ++z) q[z] *= weights[i] / sum;
  }
  return shares;
}

// The M-step of groups, softer where a value may have probability 0.
ClassProduct MixtureStarts::estimate(const ProductEstimator& estimator, const Shares& shares,
                                     double softness) const {
  const std::vector<Feature>& features = estimator.features();
  const std::size_t k = usize(options_.n_components);
  double total = 0;
  for (const double w : rows_.weights) total += w;
  std::vector<double> weight(k);
  for (std::size_t i = 0; i < shares.size(); ++i) weight[i % k] += shares[i] / total;
  Shares soft = shares;
  for (std::size_t i = 0; i < soft.size(); ++i) {
    soft[i] = (1 - softness) * shares[i] + softness * weight[i % k] * rows_.weights[i / k];
  }
  MemorySource source = rows_.source(schema_);
  std::vector<Inner> inside;
  const Chunk all = rows_.chunk(schema_, inside);
  ClassStatistics hard(source, features, options_.n_components), softer = hard;
  hard.share(all, shares);
  softer.share(all, soft);
  std::vector<Statistics> chosen;
  for (std::size_t f = 0; f < features.size(); ++f) {
    for (std::size_t z = 0; z < k; ++z) {
      chosen.push_back((may_be_impossible(features[f]) ? softer : hard).of(f, z));
    }
  }
  ClassStatistics seen(hard.weight(), std::move(chosen));
  if (!inside.empty()) {
    FeatureSums terms = FeatureSums::none(inside[0].cols, options_.n_components);
    terms.share(inner_chunk(all), soft);
    seen.set_terms(terms.nonzero(exec_));
  }
  return estimator.estimate(seen);
}

// A few steps of EM.
MixtureStarts::Run MixtureStarts::run(const ProductEstimator& estimator, const Shares& shares,
                                      double softness) const {
  MemorySource source = rows_.source(schema_);
  EmOptions few;
  few.max_iter = kSteps;
  few.tol = options_.tol;
  Latent latent = options_.latent;
  latent.labels = false;
  ProductFit fit =
      product_em(source, estimate(estimator, shares, softness), estimator, latent, few, exec_);
  return {std::move(fit.model), fit.report.objective};
}

// By the columns of numbers, as if they were Gaussian within the components; EM decides.
MixtureStarts::Run MixtureStarts::exchanged(const ProductEstimator& estimator, Run best) const {
  const Coordinates z = coordinates(estimator.features(), false);
  if (z.numbers.cols() == 0) return best;
  const GroupCuts cuts = cuts_of(z.numbers);
  const Index k = options_.n_components;
  for (Index round = 0; round < k; ++round) {
    const Shares now = posteriors(best.model);
    std::optional<Run> moved;
    for (const Shares& next : exchanges(gaussians_of(z.numbers, now, k), now, cuts, kExchanges)) {
      Run other = run(estimator, next, kSoft);
      if (!moved || other.objective > moved->objective) moved = std::move(other);
    }
    if (!moved || moved->objective <= best.objective + kSame) break;
    best = *std::move(moved);
  }
  return best;
}

ClassProduct MixtureStarts::choose(const std::vector<Feature>& features, Index trial) const {
  const std::vector<Kind> kinds = this->kinds(trial, std::ranges::any_of(features, is_number));
  MemorySource source = rows_.source(schema_);
  Latent hidden = options_.latent;
  hidden.labels = false;
  const ProductEstimator estimator(features, column_statistics(source, features, hidden, exec_),
                                   options_.choice.smoothing, {{}, options_.weight_concentration});
  std::optional<Run> best;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Shares shares =
        this->shares(features, kinds[i], trial * kMostRuns + static_cast<Index>(i));
    const double softness = kinds[i] == Kind::kShares ? 0 : kSoft;
    if (kinds.size() == 1) return estimate(estimator, shares, softness);
    Run next = run(estimator, shares, softness);
    if (!best || next.objective > best->objective + kSame) best = std::move(next);
  }
  return exchanged(estimator, *std::move(best)).model;
}

}  // namespace craton
