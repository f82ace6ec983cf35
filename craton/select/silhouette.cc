#include "craton/select/silhouette.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/engine/for_each.h"
#include "craton/kernels/differences.h"
#include "craton/kernels/distance_sums.h"
#include "craton/select/sum.h"

// The rows lie by cluster, in blocks of eight side by side, so that the distances from one row to a
// cluster are summed as they are made: O(n^2 d) operations, O(n (d + k)) memory. A tile of a
// cluster stays in the cache while a task's rows meet it.

namespace craton {
namespace {

constexpr Index kTaskRows = 64;
constexpr Index kTileValues = 16384;  // of doubles: half of a second-level cache of 256 KiB

double silhouette_of(double own, double other) {
  const double most = std::max(own, other);
  return most > 0 ? (other - own) / most : 0;
}

class GroupedRows {
 public:
  GroupedRows(const ClusteredRows& rows, const std::vector<Index>& sizes, const Exec& exec)
      : columns_(rows.x.shape().cols), place_(rows.labels.size()) {
    for (const Index size : sizes) {
      first_block_.push_back(blocks_);
      blocks_ += distance_blocks(size);
    }
    std::vector<Index> next;
    for (const Index block : first_block_) next.push_back(block * kDistanceLanes);
    for (std::size_t i = 0; i < place_.size(); ++i) place_[i] = next[usize(rows.labels[i])]++;
    values_.resize(usize(blocks_ * columns_ * kDistanceLanes));
    for_rows(rows.x, exec, [&](const Chunk& chunk) {
      std::vector<double> row(usize(columns_));
      for (Index i = 0; i < chunk.rows(); ++i) {
        std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
        double* const to = values_.data() + offset(chunk.first_row + i);
        for (Index c = 0; c < columns_; ++c) to[c * kDistanceLanes] = row[usize(c)];
      }
    });
  }

  void copy(Index row, double* out) const {
    const double* const from = values_.data() + offset(row);
    for (Index c = 0; c < columns_; ++c) out[c] = from[c * kDistanceLanes];
  }
  const double* blocks(Index cluster, Index block) const {
    return values_.data() + (first_block_[usize(cluster)] + block) * columns_ * kDistanceLanes;
  }
  Index columns() const { return columns_; }

 private:
  Index offset(Index row) const {
    const Index at = place_[usize(row)];
    return at / kDistanceLanes * columns_ * kDistanceLanes + at % kDistanceLanes;
  }
  Index columns_, blocks_ = 0;
  std::vector<Index> first_block_, place_;  // place_: block * kDistanceLanes + lane
  std::vector<double> values_;
};

// sums[r * clusters + a]: the distances from row first + r to those of cluster a.
void add_distances(const GroupedRows& rows, const std::vector<Index>& sizes, RowRange range,
                   std::vector<double>& sums) {
  const Index columns = rows.columns(), clusters = std::ssize(sizes);
  const Index tile =
      std::max<Index>(1, kTileValues / (columns * kDistanceLanes)) * kDistanceLanes;  // rows
  const Index padded = (range.size() + kDistanceRows - 1) / kDistanceRows * kDistanceRows;
  std::vector<double> from(usize(padded * columns));
  for (Index r = 0; r < range.size(); ++r) {
    rows.copy(range.first + r, from.data() + r * columns);
  }
  sums.assign(usize(padded * clusters), 0);
  for (Index a = 0; a < clusters; ++a) {
    for (Index begin = 0; begin < sizes[usize(a)]; begin += tile) {
      const Index count = std::min(tile, sizes[usize(a)] - begin);
      const double* const group = rows.blocks(a, begin / kDistanceLanes);
      for (Index r = 0; r < padded; r += kDistanceRows) {
        const double* x[kDistanceRows];
        double out[kDistanceRows];
        for (Index q = 0; q < kDistanceRows; ++q) x[q] = from.data() + (r + q) * columns;
        distance_sums(x, group, count, columns, out);
        for (Index q = 0; q < kDistanceRows; ++q) sums[usize((r + q) * clusters + a)] += out[q];
      }
    }
  }
}

double plain_mean(std::span<const double> values) {
  Sum sum;
  for (const double v : values) sum += v;
  return sum.value() / static_cast<double>(values.size());
}

}  // namespace

void silhouettes(const ClusteredRows& rows, std::span<double> out, const Exec& exec) {
  const std::vector<Index> sizes = check_clusters(rows);
  const GroupedRows grouped(rows, sizes, exec);
  const Index n = std::ssize(rows.labels), clusters = rows.clusters;
  for_each((n + kTaskRows - 1) / kTaskRows, exec, [&](Index task) {
    const RowRange range{task * kTaskRows, std::min((task + 1) * kTaskRows, n)};
    std::vector<double> sums;
    add_distances(grouped, sizes, range, sums);
    for (Index i = range.first; i < range.last; ++i) {
      const double* const to = sums.data() + (i - range.first) * clusters;
      const Index own = rows.labels[usize(i)];
      double other = std::numeric_limits<double>::infinity();
      for (Index a = 0; a < clusters; ++a) {
        if (a == own || sizes[usize(a)] == 0) continue;
        other = std::min(other, to[a] / static_cast<double>(sizes[usize(a)]));
      }
      const Index others = sizes[usize(own)] - 1;
      out[usize(i)] = others == 0 ? 0 : silhouette_of(to[own] / static_cast<double>(others), other);
    }
  });
}

void simplified_silhouettes(const ClusteredRows& rows, std::span<double> out, const Exec& exec) {
  const std::vector<Index> sizes = check_clusters(rows);
  const Array means = cluster_means(rows, exec);
  const Index columns = rows.x.shape().cols, clusters = rows.clusters;
  for_rows(rows.x, exec, [&](const Chunk& chunk) {
    std::vector<double> row(usize(columns)), squares(usize(clusters));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& x) { copy_row(x, i, row.data()); }, chunk.x);
      squared_distances(row.data(), means.values.data(), clusters, columns, squares.data());
      const Index own = rows.labels[usize(chunk.first_row + i)];
      double other = std::numeric_limits<double>::infinity();
      for (Index a = 0; a < clusters; ++a) {
        if (a != own && sizes[usize(a)] > 0) other = std::min(other, squares[usize(a)]);
      }
      out[usize(chunk.first_row + i)] =
          sizes[usize(own)] == 1 ? 0
                                 : silhouette_of(std::sqrt(squares[usize(own)]), std::sqrt(other));
    }
  });
}

double silhouette(const ClusteredRows& rows, const Exec& exec) {
  std::vector<double> values(rows.labels.size());
  silhouettes(rows, values, exec);
  return plain_mean(values);
}

double simplified_silhouette(const ClusteredRows& rows, const Exec& exec) {
  std::vector<double> values(rows.labels.size());
  simplified_silhouettes(rows, values, exec);
  return plain_mean(values);
}

}  // namespace craton
