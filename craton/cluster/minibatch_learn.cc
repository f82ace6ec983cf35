#include <fmt/core.h>

#include <charconv>

#include "craton/cluster/minibatch_kmeans.h"
#include "craton/core/columns.h"
#include "craton/core/error.h"

// More rows are one more batch. What the centres have seen so far are the weights of the clusters,
// which the file has; so a model needs no memory beside its parameters.

namespace craton {
namespace {

void check_clusters(const MiniBatchKMeans& model, const MiniBatchKMeans::Options& options) {
  if (options.n_clusters == model.classes()) return;
  throw InputError(Code::kBadOption, {},
                   fmt::format("n_clusters = {}, but the model to go on from has {}",
                               options.n_clusters, model.classes()),
                   "Give the same number, or fit anew.");
}

// Of the rows of both, in any order: hashes of tables are sums over their rows.
std::string sum_of_hashes(const std::string& a, const std::string& b) {
  const auto read = [](const std::string& text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
  };
  return fmt::format("{:016x}", read(a) + read(b));
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
  next.report.iterations += 1;
  next.report.objective = mean * columns.weight();  // of the batch, before it was learned from
  next.report.trace.push_back(next.report.objective);
  next.report.start_traces.clear();
  next.report.notes.clear();
  next.report.data_hash = sum_of_hashes(so_far.report.data_hash, columns.data_hash());
  return next;
}

}  // namespace craton
