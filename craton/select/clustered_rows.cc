#include "craton/select/clustered_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/engine/fold.h"
#include "craton/kernels/differences.h"
#include "craton/select/sum.h"

// Two passes over the rows, O(n d), and O(k^2 d) for Davies-Bouldin.

namespace craton {
namespace {

// Sums over the rows of each cluster: of the rows about an origin, then, with the means known, of
// distances and of their squares.
class ClusterSums {
 public:
  ClusterSums(const ClusteredRows& rows, std::vector<double> origin)
      : rows_(&rows), centres_(std::move(origin)), width_(columns()), sums_(size()) {}
  ClusterSums(const ClusteredRows& rows, const Array& means)
      : rows_(&rows), centres_(means.values), width_(2), spreads_(true), sums_(size()) {}

  double operator()(Index cluster, Index j) const { return sums_[usize(cluster * width_ + j)]; }

  void accumulate(const Chunk& chunk) {
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      const Index label = rows_->labels[usize(chunk.first_row + i)];
      double* const sums = sums_.data() + label * width_;
      if (spreads_) {
        const double square =
            squared_distance(row.data(), centres_.data() + label * columns(), columns());
        sums[0] += std::sqrt(square);
        sums[1] += square;
      } else {
        for (Index j = 0; j < width_; ++j) sums[j] += row[usize(j)] - centres_[usize(j)];
      }
    }
  }
  void merge(const ClusterSums& next) {
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += next.sums_[i];
  }
  void write(Writer& w) const { w.put(sums_); }
  void read(Reader& r) { r.get(sums_); }
  Index words() const { return std::ssize(sums_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  Index columns() const { return rows_->x.shape().cols; }
  std::size_t size() const { return usize(rows_->clusters * width_); }

  const ClusteredRows* rows_;
  std::vector<double> centres_;  // the origin, or the means
  Index width_;
  bool spreads_ = false;
  std::vector<double> sums_;
};

double as_real(Index count) { return static_cast<double>(count); }

}  // namespace

std::vector<Index> check_clusters(const ClusteredRows& rows) {
  std::vector<Index> sizes(usize(rows.clusters));
  for (const std::int32_t label : rows.labels) ++sizes[usize(label)];
  const Index k = std::ssize(sizes) - std::count(sizes.begin(), sizes.end(), 0);
  const Index n = std::ssize(rows.labels);
  if (k > 1 && k < n) return sizes;
  throw InputError(Code::kTooFewRows, {.file = rows.x.name()},
                   fmt::format("{} rows are in {} {}, so that none can be compared with others", n,
                               k, k == 1 ? "cluster" : "clusters"),
                   "Two clusters at least must have rows, and one of them two.");
}

Array cluster_means(const ClusteredRows& rows, const Exec& exec) {
  const Index columns = rows.x.shape().cols, first = 0;
  std::vector<double> origin(usize(columns));
  rows.x.gather({&first, 1}, origin);
  const ClusterSums sums = fold(rows.x, ClusterSums(rows, origin), exec);
  std::vector<Index> sizes(usize(rows.clusters));
  for (const std::int32_t label : rows.labels) ++sizes[usize(label)];
  Array means{{rows.clusters, columns}, std::vector<double>(usize(rows.clusters * columns))};
  for (Index a = 0; a < rows.clusters; ++a) {
    if (sizes[usize(a)] == 0) continue;
    for (Index j = 0; j < columns; ++j) {
      means.values[usize(a * columns + j)] =
          origin[usize(j)] + sums(a, j) / as_real(sizes[usize(a)]);
    }
  }
  return means;
}

double calinski_harabasz(const ClusteredRows& rows, const Exec& exec) {
  const std::vector<Index> sizes = check_clusters(rows);
  const Index columns = rows.x.shape().cols, n = std::ssize(rows.labels);
  const Array means = cluster_means(rows, exec);
  std::vector<double> centre;
  for (Index j = 0; j < columns; ++j) {
    Sum sum;
    for (Index a = 0; a < rows.clusters; ++a) {
      sum += as_real(sizes[usize(a)]) * means.values[usize(a * columns + j)];
    }
    centre.push_back(sum.value() / as_real(n));
  }
  const ClusterSums spread = fold(rows.x, ClusterSums(rows, means), exec);
  Sum between, within;
  Index k = 0;
  for (Index a = 0; a < rows.clusters; ++a) {
    if (sizes[usize(a)] == 0) continue;
    ++k;
    within += spread(a, 1);
    between += as_real(sizes[usize(a)]) *
               squared_distance(means.values.data() + a * columns, centre.data(), columns);
  }
  if (within.value() == 0) return 1;
  return between.value() * as_real(n - k) / (within.value() * as_real(k - 1));
}

double davies_bouldin(const ClusteredRows& rows, const Exec& exec) {
  const std::vector<Index> sizes = check_clusters(rows);
  const Index columns = rows.x.shape().cols;
  const Array means = cluster_means(rows, exec);
  const ClusterSums spread = fold(rows.x, ClusterSums(rows, means), exec);
  const auto distance = [&](Index a) { return spread(a, 0) / as_real(sizes[usize(a)]); };
  Sum sum;
  Index k = 0;
  for (Index a = 0; a < rows.clusters; ++a) {
    if (sizes[usize(a)] == 0) continue;
    double worst = 0;
    for (Index b = 0; b < rows.clusters; ++b) {
      if (b == a || sizes[usize(b)] == 0) continue;
      const double apart = std::sqrt(squared_distance(means.values.data() + a * columns,
                                                      means.values.data() + b * columns, columns));
      if (apart > 0) worst = std::max(worst, (distance(a) + distance(b)) / apart);
    }
    sum += worst;
    ++k;
  }
  return sum.value() / as_real(k);
}

}  // namespace craton
