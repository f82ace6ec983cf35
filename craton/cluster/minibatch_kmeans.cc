#include "craton/cluster/minibatch_kmeans.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/notes.h"
#include "craton/base/random.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"
#include "craton/tables/picked_rows.h"

// A walk through all batches costs n d k multiplications, as a pass of k-means; far fewer than one
// are enough on large tables.

namespace craton {
namespace {

// Rows of the sample that starts are chosen in, for each cluster and at least.
constexpr Index kSampleRows = 48, kLeastSample = 3072;

// The rows of positive weight, their hashes and weights.
struct HashedRows {
  std::vector<Index> row;
  std::vector<std::uint64_t> hash;
  std::vector<double> weight;  // by number of the row; none: all are 1
  double total = 0;
};

HashedRows hashed_rows(RowKeys keys) {
  HashedRows rows;
  for (Index i = 0; i < ssize(keys.weight); ++i) {
    if (keys.weight[usize(i)] == 0) continue;
    rows.row.push_back(i);
    rows.hash.push_back(keys.hash[usize(i)]);
    rows.total += keys.weight[usize(i)];
  }
  if (std::any_of(keys.weight.begin(), keys.weight.end(), [](double w) { return w != 1; })) {
    rows.weight = std::move(keys.weight);
  }
  return rows;
}

// The rows in `count` classes by hash and walk; within a class in the order of that hash.
class Batches {
 public:
  Batches(const HashedRows& rows, Index count, std::uint64_t seed, std::uint64_t walk)
      : first_(usize(count + 1)) {
    std::vector<std::pair<std::uint64_t, Index>> order;
    for (std::size_t i = 0; i < rows.row.size(); ++i) {
      order.emplace_back(mix(mix(seed, walk), rows.hash[i]), rows.row[i]);
    }
    std::sort(order.begin(), order.end());
    const double classes = static_cast<double>(count);
    for (const auto& [hash, row] : order) {
      const auto batch = static_cast<Index>(static_cast<double>(hash >> 11) * 0x1p-53 * classes);
      ++first_[usize(batch + 1)];
      row_.push_back(row);
    }
    for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  }

  // The numbers of the rows of batches [first, last).
  std::span<const Index> numbers(Index first, Index last) const {
    return std::span(row_).subspan(usize(first_[usize(first)]),
                                   usize(first_[usize(last)] - first_[usize(first)]));
  }

 private:
  std::vector<Index> first_;
  std::vector<Index> row_;
};

// Weights count rows, and so many batches must have room.
void check_batches(const Source& x, double total, Index size) {
  constexpr double kMostBatches = 0x1p27;
  const double most = kMostBatches * static_cast<double>(size);
  if (total <= most) return;
  throw InputError(Code::kBadWeight, {.file = x.name()},
                   fmt::format("the weights sum to {:g}: as rows that repeat they make too many "
                               "mini-batches, beyond a sum of {:g}",
                               total, most),
                   "Divide all weights by one power of ten, or fit kmeans.");
}

Index batch_count(double total, Index size) {
  return std::max<Index>(1, static_cast<Index>(std::ceil(total / static_cast<double>(size))));
}

KMeans::Options start_options(const MiniBatchKMeans::Options& o) {
  KMeans::Options options;
  options.n_clusters = o.n_clusters;
  options.init = o.init;
  options.centers = o.centers;
  options.n_local_trials = o.n_local_trials;
  options.n_init = o.n_init;
  options.random_state = o.random_state;
  options.max_iter = 0;
  options.algorithm = KMeans::Algorithm::kLloyd;  // one pass: no bounds
  return options;
}

// The best start among all rows, or among some that have been picked.
KMeans start_among(Source& x, Source& picked, bool all, const KMeans::Options& options,
                   const Exec& exec) {
  if (all) return KMeans::fit(x, options, exec).model;
  Block block;
  Chunk few;
  picked.fetch({0, picked.shape().rows}, block);
  picked.decode(block, few);
  MemorySource source({.x = few.x, .weights = few.weights}, x.schema(), x.name());
  return KMeans::fit(source, options, exec).model;
}

// J of the batches per unit of weight, smoothed; when did it last fall? The first batch, which the
// centres have not moved for, tells of their start.
class Watch {
 public:
  Watch(double share, Index patience) : share_(std::min(1.0, share)), patience_(patience) {}
  bool stalled(double inertia) {
    if (std::exchange(is_first_, false)) return false;
    smoothed_ = std::isnan(smoothed_) ? inertia : smoothed_ + share_ * (inertia - smoothed_);
    since_ = smoothed_ < least_ ? 0 : since_ + 1;
    least_ = std::min(least_, smoothed_);
    return patience_ > 0 && since_ >= patience_;
  }

 private:
  double share_, smoothed_ = NAN, least_ = INFINITY;
  Index patience_, since_ = 0;
  bool is_first_ = true;
};

}  // namespace

void describe(OptionVisitor& v, MiniBatchKMeans::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_clusters", o.n_clusters, 1, kMost, "number of clusters");
  v.choice_or_array(
      "init", o.init, o.centers, {"k-means++", "random", "k-means||"},
      "where to start: k-means++, random rows, k-means||, or an array of centres (k x "
      "columns)");
  v.integer("n_local_trials", o.n_local_trials, 0, kMost,
            "rows that k-means++ draws for each centre, to keep the best; 1 is the plain rule, 0 "
            "stands for 2 + ln(n_clusters)");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best one is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "walks through all rows, at most");
  v.integer("batch_size", o.batch_size, 1, kMost, "rows of a batch, about");
  v.integer("max_no_improvement", o.max_no_improvement, 0, kMost,
            "stop when the objective of so many batches was no better; 0: never");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts and the batches");
}

Fit<MiniBatchKMeans> MiniBatchKMeans::fit(Source& x, const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  const Exec alone{.threads = exec.threads, .progress = exec.progress};  // ranks do not share
  RowKeys keys(x.shape().rows);
  const ColumnStatistics columns = check_table(x, alone, Takes::kSparseToo, &keys);
  const HashedRows rows = hashed_rows(std::move(keys));
  const auto seed = static_cast<std::uint64_t>(options.random_state);

  check_batches(x, rows.total, std::min<Index>(options.batch_size, 256));
  // A sample large enough for the starts is the first so many of small batches.
  const Index batches = batch_count(rows.total, options.batch_size);
  const Index wanted =
      std::max({kLeastSample, kSampleRows * options.n_clusters, options.batch_size});
  const Index parts = batch_count(rows.total, 256);
  const Index taken = std::min(parts, wanted / 256 + 1);
  const Batches small(rows, parts, seed, 0);
  PickedRows picked(x, rows.weight);
  picked.pick(small.numbers(0, taken));
  const bool all = taken == parts || picked.shape().rows < options.n_clusters;
  const KMeans start = start_among(x, picked, all, start_options(options), alone);
  KMeans model(start.centers(), start.metric(), 1, row_kind(x));
  if (picked.in_place() != nullptr) picked.leave_in_place();

  FitReport report;
  std::vector<double> seen(usize(options.n_clusters));
  Watch watch(2 * static_cast<double>(options.batch_size) / (rows.total + 1),
              options.max_no_improvement);
  while (!report.converged && report.iterations < options.max_iter) {
    ++report.iterations;
    const Batches walk(rows, batches, seed, static_cast<std::uint64_t>(report.iterations));
    for (Index b = 0; b < batches && !report.converged; ++b) {
      const std::span<const Index> numbers = walk.numbers(b, b + 1);
      if (numbers.empty()) continue;
      picked.pick(numbers);
      KMeans::Statistics empty = model.statistics();
      if (picked.in_place() != nullptr) empty.take_from(*picked.in_place(), numbers);
      const KMeans::Statistics statistics = fold(picked, empty, alone);
      report.converged = watch.stalled(-model.learn(statistics, seen));
    }
  }
  KMeans::Options last = start_options(options);
  last.centers = model.centers();
  Fit<KMeans> fit = KMeans::fit_rows(x, last, columns, exec);
  report.objective = fit.report.objective;
  report.trace = {report.objective};
  report.notes = fit.report.notes;
  const bool drawn = options.centers.empty() && options.n_clusters > 1;
  if (drawn && options.n_init == 1 && report.objective < 0) {
    report.notes.push_back(one_start());
  }
  report.data_hash = columns.data_hash();
  return {MiniBatchKMeans(std::move(fit.model)), std::move(report), {}, std::move(fit.labels)};
}

// More rows are one more batch. What the centres have seen so far are the weights of the clusters,
// which the file has; so a model needs no memory beside its parameters.

namespace {

void check_clusters(const MiniBatchKMeans& model, const MiniBatchKMeans::Options& options) {
  if (options.n_clusters == model.classes()) return;
  throw InputError(Code::kBadOption, {},
                   {"{}, but the model to go on from has {}",
                    Ref::option("n_clusters", options.n_clusters), model.classes()},
                   "Give the same number, or fit anew.");
}

// The hash of the rows of two tables, in any order: hashes of tables are sums over their rows.
std::string sum_of_hashes(const std::string& a, const std::string& b) {
  return hash_text(hash_number(a) + hash_number(b));
}

}  // namespace

Fit<MiniBatchKMeans> MiniBatchKMeans::partial_fit(const Fit<MiniBatchKMeans>& so_far, Source& x,
                                                  const Options& options, const Exec& exec) {
  Options checked = options;
  check_options([&](OptionVisitor& v) { describe(v, checked); });
  check_clusters(so_far.model, options);
  const ColumnStatistics columns = check_table(x, exec, Takes::kSparseToo);
  check_start("the model", so_far.model.clusters_.centers(), columns);

  Fit<MiniBatchKMeans> next = so_far;
  next.labels.clear();
  KMeans& clusters = next.model.clusters_;
  const KMeans::Statistics batch = fold(x, clusters.statistics(), exec);
  const double mean = clusters.learn(batch, clusters.weights_.values);
  next.report.count_iteration();
  next.report.objective = mean * columns.weight();  // of the batch, before it was learned from
  next.report.trace.push_back(next.report.objective);
  next.report.start_traces.clear();
  next.report.notes.clear();
  next.report.data_hash = sum_of_hashes(so_far.report.data_hash, columns.data_hash());
  return next;
}

const Usage MiniBatchKMeans::kUsage{
    .example = "examples/data/islands.csv --n-clusters 4 --batch-size 100 -o islands.craton",
    .python = R"(
>>> from craton import MiniBatchKMeans
>>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
>>> model = MiniBatchKMeans(n_clusters=2).fit(X)
>>> sorted(model.cluster_centers_.tolist())
[[1.0, 2.0], [10.0, 2.0]]
)",
    .small = "n_clusters=3; max_iter=12",
    .positional = 1,
    .sklearn = "cluster.MiniBatchKMeans"};

template ModelInfo registered<MiniBatchKMeans>();

}  // namespace craton
