#include "craton/cluster/kmeans_block.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

#include "craton/kernels/nearest_tile.h"
#include "craton/tables/columns.h"

// A pass over a chunk: blocks of rows are assigned to their nearest centres, n d k multiplications
// less those that bounds spare, and summed, n d. A block stays in the cache in between.

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

// When all rows are compared, one block in so many keeps bounds, and asks.
constexpr std::size_t kAsked = 16, kAskedRows = 256;
bool is_asked(std::size_t row) { return row / kAskedRows % kAsked == 0; }

}  // namespace

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

template <class Row>
void KMeans::Statistics::assign_block(Block<Row>& block) {
  if (bounds_ != nullptr && pass_ == Pass::kSpare) {
    assign_uncertain(block);
  } else if (bounds_ != nullptr && pass_ != Pass::kAll &&
             (pass_ == Pass::kRecord || is_asked(block.number(0)))) {
    assign_and_record(block);
  } else {
    assign(block);
  }
  for (std::size_t i = 0; i < block.rows.size() && frame_ == nullptr; ++i) {
    weight_[usize(block.labels[i])] += block.weights.empty() ? 1 : block.weights[i];
  }
}

template <class Row>
void KMeans::Statistics::assign(Block<Row>& block) {
  const std::span<const Row> rows(block.rows);
  model_->nearest_.find(rows, block.labels.data(), nullptr);
  if (bounds_ == nullptr) return;
  const std::size_t left = block.find_changed(bounds_->labels.data());
  for (std::size_t u = 0; u < left; ++u) {
    const std::size_t i = block.places[u];
    std::int32_t& kept = bounds_->labels[block.number(i)];
    change(block, i, kept, block.labels[i]);
    kept = block.labels[i];
  }
}

template <class Row>
void KMeans::Statistics::assign_and_record(Block<Row>& block) {
  const std::size_t size = block.rows.size();
  block.places.resize(size);
  std::iota(block.places.begin(), block.places.end(), std::size_t{0});
  block.uncertain = block.rows;
  block.found.resize(size);
  block.doubtful.assign(size, ~std::uint64_t{0} >> (64 - bounds_->parts()));
  for (std::size_t i = 0; i < size; ++i) block.labels[i] = bounds_->labels[block.number(i)];
  find_doubtful(block);
}

// In doubt by the bounds that are kept; by the distance from their centre as it is now; and only
// then are other centres looked at.
template <class Row>
void KMeans::Statistics::assign_uncertain(Block<Row>& block) {
  const std::size_t size = block.rows.size();
  std::size_t left = 0;
  block.places.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t row = block.number(i);
    block.labels[i] = bounds_->labels[row];
    block.places[left] = i;
    left += std::size_t{bounds_->doubtful(row, bounds_->own(row)) != 0};
  }
  block.places.resize(left);
  block.uncertain.resize(left);
  block.found.resize(left);
  for (std::size_t u = 0; u < left; ++u) {
    block.uncertain[u] = block.rows[block.places[u]];
    block.found[u] = block.labels[block.places[u]];
  }
  block.squared.resize(left);
  squared_distances(labelled(std::span<const Row>(block.uncertain), block.found.data()),
                    block.squared.data());
  block.doubtful.resize(left);
  Index compared = 0;
  left = 0;
  for (std::size_t u = 0; u < block.places.size(); ++u) {
    const std::size_t i = block.places[u], row = block.number(i);
    const double own = own_distance<Row>(block.labels[i], block.squared[u]);
    const std::uint64_t doubtful = bounds_->doubtful(row, own);
    bounds_->set(row, block.labels[i], own);
    compared += bounds_->parts() == 1 ? static_cast<Index>(doubtful) : std::popcount(doubtful);
    block.doubtful[left] = doubtful;
    block.uncertain[left] = block.uncertain[u];
    block.places[left] = i;
    left += std::size_t{doubtful != 0};
  }
  block.uncertain.resize(left);
  block.places.resize(left);
  block.found.resize(left);
  block.doubtful.resize(left);
  find_doubtful(block);
  asked_ += std::ssize(block.rows) * bounds_->parts();
  spared_ += std::ssize(block.rows) * bounds_->parts() - compared;
}

// A row's distance from its centre, not less than it is.
template <class Row>
double KMeans::Statistics::own_distance(std::int32_t label, double squared) const {
  if constexpr (std::is_pointer_v<Row>) return bounds_->at_most(squared);
  const double norm = model_->nearest_.squared_norms()[usize(label)];
  const double terms = static_cast<double>(model_->columns() + 8);
  return bounds_->at_most(squared + terms * std::numeric_limits<double>::epsilon() * norm);
}

// The nearest of the parts in doubt, for rows in doubt, and new bounds.
template <class Row>
void KMeans::Statistics::find_doubtful(Block<Row>& block) {
  const std::size_t size = block.places.size(), parts = usize(bounds_->parts());
  const std::span<const Row> rows(block.uncertain);
  block.others.resize(size * parts);
  block.reach.resize(size);
  if constexpr (std::is_pointer_v<Row>) {
    if (parts > 1) {
      model_->nearest_.find_among(rows, block.doubtful, block.found.data(), block.reach.data(),
                                  block.others.data());
    }
  }
  if (parts == 1) {
    model_->nearest_.find(rows, block.found.data(), block.reach.data());
    for (std::size_t u = 0; u < size; ++u) block.others[u] = block.reach[u].other;
  }
  const bool ask = pass_ != Pass::kSpare && is_asked(block.number(0));
  for (std::size_t u = 0; u < size; ++u) {
    const std::size_t i = block.places[u], row = block.number(i);
    const bool same = block.labels[i] == block.found[u];
    if (ask) {
      asked_ += bounds_->parts();
      if (same)
        spared_ += bounds_->parts() - std::popcount(bounds_->doubtful(row, block.reach[u].own));
    }
    if (!same) change(block, i, block.labels[i], block.found[u]);
    block.labels[i] = block.found[u];
    bounds_->set(row, block.found[u], block.reach[u].own);
    for (std::size_t p = 0; p < parts; ++p) {
      if ((block.doubtful[u] >> p & 1) == 0) continue;
      bounds_->set_other(row, static_cast<Index>(p), block.others[u * parts + p]);
    }
  }
}

template <class Row>
void KMeans::Statistics::change(Block<Row>& block, std::size_t i, std::int32_t from,
                                std::int32_t to) {
  ++changed_;
  if (frame_ == nullptr) return;
  block.move(i, from, -1);
  block.move(i, to, 1);
}

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

}  // namespace craton
