#include <algorithm>

#include "craton/cluster/kmeans_block.h"
#include "craton/core/columns.h"
#include "craton/kernels/nearest_tile.h"

// A pass over a chunk: blocks of rows are assigned to their centres and summed.

namespace craton {
namespace {

// Rows are looked at twice, once for their centre and once for the sums: in between they stay in a
// cache of this size.
constexpr Index kBlockBytes = 256 << 10, kMostRows = 256;
// Whole tiles of them: kernels/nearest_tile.h.
Index block_rows(Index row_bytes) {
  const Index tiles = (kBlockBytes / row_bytes + kTileRows / 2) / kTileRows;
  return std::clamp(tiles * kTileRows, kTileRows, kMostRows);
}

template <class Dense, class Sparse>
struct Either : Dense, Sparse {
  using Dense::operator(), Sparse::operator();
};
template <class Dense, class Sparse>
Either(Dense, Sparse) -> Either<Dense, Sparse>;

template <class T>
void copy_row(const T* row, std::vector<double>& out) {
  std::copy(row, row + out.size(), out.begin());
}
template <class T>
void copy_row(const RowEntries<T>& row, std::vector<double>& out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (Index e = 0; e < row.count; ++e) {
    out[usize(row.columns[e])] = static_cast<double>(row.values[e]);
  }
}

}  // namespace

template <class Row>
void KMeans::Statistics::add_block(Block<Row>& block) {
  const std::span<const Row> rows(block.rows);
  if (frame_ != nullptr) {
    return moved_.add(std::span<const Row>(block.moved), block.moved_labels.data(),
                      block.moved_weights);
  }
  block.squared.resize(rows.size());
  add_differences(labelled(rows, block.labels.data()), block.weights, sum_.data(),
                  block.squared.data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    inertia_ += (block.weights.empty() ? 1 : block.weights[i]) * block.squared[i];
    if (block.squared[i] > farthest_) {
      farthest_ = block.squared[i];
      copy_row(rows[i], farthest_row_);
    }
  }
}

void KMeans::Statistics::accumulate(const Chunk& chunk) {
  const Index* const numbers = table_ != nullptr ? &numbers_[usize(chunk.first_row)] : nullptr;
  const auto row_at = [&](const auto& x) {
    return [&x, numbers](Index i) { return row_of(x, numbers != nullptr ? numbers[i] : i); };
  };
  const auto dense = [&]<class T>(const Dense<T>& x) {
    add_rows<const T*>(chunk, x.cols * Index{sizeof(T)}, row_at(x));
  };
  const auto sparse = [&]<class T>(const Sparse<T>& x) {
    sparse_ = true;
    add_rows<RowEntries<T>>(chunk, 1, row_at(x));
  };
  std::visit(Either{dense, sparse}, table_ != nullptr ? *table_ : chunk.x);
}

template <class Row>
void KMeans::Statistics::add_rows(const Chunk& chunk, Index row_bytes, const auto& row_at) {
  // Few of the rows want each part of the centres: more of them fill its tiles.
  const bool by_parts = pass_ == Pass::kSpare && bounds_->parts() > 1;
  const Index size = by_parts ? chunk.rows() : block_rows(row_bytes);
  for_blocks<Row>(chunk, size, row_at, [&](Block<Row>& block) {
    assign_block(block);
    add_block(block);
  });
}

template <class Row>
void KMeans::Statistics::for_blocks(const Chunk& chunk, Index size, const auto& row_at,
                                    FunctionRef<void(Block<Row>&)> f) {
  Block<Row>& block = room_.as<Block<Row>>();
  for (Index first = 0; first < chunk.rows(); first += size) {
    block.clear();
    const Index last = std::min(chunk.rows(), first + size);
    for (Index i = first; i < last && !chunk.weights.empty(); ++i) {
      if (chunk.weight(i) == 0) continue;
      block.rows.push_back(row_at(i));
      block.numbers.push_back(usize(chunk.first_row + i));
      block.weights.push_back(chunk.weight(i));
    }
    if (chunk.weights.empty()) {
      block.first = usize(chunk.first_row + first);
      block.rows.resize(usize(last - first));
      for (Index i = first; i < last; ++i) block.rows[usize(i - first)] = row_at(i);
    }
    block.labels.resize(block.rows.size());
    if (!block.rows.empty()) f(block);
  }
}

}  // namespace craton
