#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <type_traits>

#include "craton/cluster/kmeans.h"
#include "craton/core/columns.h"
#include "craton/kernels/differences.h"

// A pass costs n d k multiplications, less those that bounds spare, and n d more for the sums.

namespace craton {
namespace {

// Rows are looked at twice, once for their centre and once for the sums: in between they stay in a
// cache of this size.
constexpr Index kBlockBytes = 256 << 10, kLeastRows = 24, kMostRows = 256;

// Of the rows of a chunk: when so few changed their centres, perhaps none does in the next pass.
constexpr Index kQuiet = 2;

// When all rows are compared, one in so many is asked whether its bounds would have spared it.
constexpr Index kAsked = 8;

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

// Some rows of positive weight.
template <class Row>
struct KMeans::Statistics::Block {
  std::vector<Row> rows;
  std::vector<std::size_t> numbers;  // in the table
  std::vector<double> weights;       // none: all are 1
  std::vector<std::int32_t> labels;
  std::vector<double> squared;  // distances from their centres
  std::vector<Reach> reach;
  // Of those whose centre is in doubt:
  std::vector<Row> uncertain;
  std::vector<std::size_t> places;
  std::vector<std::int32_t> found;
  std::vector<std::uint64_t> doubtful;  // which parts of the centres
  std::vector<double> others;           // distances from parts at least

  void clear() {
    rows.clear();
    numbers.clear();
    weights.clear();
  }
  void resize() {
    labels.resize(rows.size());
    squared.resize(rows.size());
    reach.resize(rows.size());
  }
};

KMeans::Statistics::Statistics(const KMeans& model, RowBounds* bounds, bool prune,
                               const Frame* frame, ChunkSums* chunk_sums)
    : model_(&model),
      bounds_(bounds),
      prune_(prune),
      frame_(frame),
      chunk_sums_(chunk_sums),
      share_(model.metric_ == Metric::kCosine ? 0.5 : 1),
      weight_(usize(model.classes())),
      sum_(model.centers().values.size()),
      farthest_row_(usize(model.columns())) {}

bool KMeans::Statistics::any_empty() const {
  return std::find(weight_.begin(), weight_.end(), 0.0) != weight_.end();
}

// The sum of w (x - centre) in column j of cluster c.
double KMeans::Statistics::sum_about_centre(std::size_t c, std::size_t j) const {
  const std::size_t at = c * usize(model_->columns()) + j;
  const double center = model_->centers().values[at];
  if (frame_ != nullptr) return sum_[at] - weight_[c] * (center - frame_->origin[j]);
  return sparse_ ? sum_[at] - weight_[c] * center : sum_[at];
}

double KMeans::Statistics::objective() const {
  if (frame_ == nullptr) return -share_ * inertia_;
  const std::size_t d = usize(model_->columns());
  double explained = 0;
  for (std::size_t c = 0; c < weight_.size(); ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double delta = model_->centers().values[c * d + j] - frame_->origin[j];
      sum += delta * (2 * sum_[c * d + j] - weight_[c] * delta);
    }
    explained += sum;
  }
  return -share_ * std::max(0.0, frame_->scatter - explained);
}

void KMeans::Statistics::accumulate(const Chunk& chunk) {
  const auto dense = [&]<class T>(const Dense<T>& x) {
    add_rows<const T*>(chunk, x.cols * Index{sizeof(T)}, [&](Index i) { return row_of(x, i); });
  };
  const auto sparse = [&]<class T>(const Sparse<T>& x) {
    sparse_ = true;
    add_rows<RowEntries<T>>(chunk, 1, [&](Index i) { return row_of(x, i); });
  };
  std::visit(Either{dense, sparse}, chunk.x);
}

template <class Row>
void KMeans::Statistics::add_rows(const Chunk& chunk, Index row_bytes, const auto& row_at) {
  // Few of the rows want each part of the centres: more of them fill its tiles.
  const bool by_parts = prune_ && bounds_->parts() > 1;
  const Index size =
      by_parts ? chunk.rows() : std::clamp(kBlockBytes / row_bytes, kLeastRows, kMostRows);
  ChunkSums::Slot* const slot = chunk_sums_ == nullptr ? nullptr : chunk_sums_->of(chunk);
  const Index before = changed_;
  if (slot == nullptr || !slot->quiet) {
    for_blocks<Row>(chunk, size, row_at, [&](Block<Row>& block) {
      assign_block(block);
      add_block(block);
    });
  } else {
    for_blocks<Row>(chunk, size, row_at, [&](Block<Row>& block) { assign_block(block); });
    if (changed_ == before) {
      sum_ = slot->sum;
      return;
    }
    for_blocks<Row>(chunk, size, row_at, [&](Block<Row>& block) {
      for (std::size_t i = 0; i < block.rows.size(); ++i) {
        block.labels[i] = bounds_->labels[block.numbers[i]];
      }
      add_block(block);
    });
  }
  if (slot == nullptr) return;
  slot->quiet = changed_ - before <= kQuiet;
  if (slot->quiet) slot->sum = sum_;
}

template <class Row>
void KMeans::Statistics::for_blocks(const Chunk& chunk, Index size, const auto& row_at,
                                    FunctionRef<void(Block<Row>&)> f) const {
  Block<Row> block;
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
      block.rows.resize(usize(last - first));
      block.numbers.resize(block.rows.size());
      for (Index i = first; i < last; ++i) {
        block.rows[usize(i - first)] = row_at(i);
        block.numbers[usize(i - first)] = usize(chunk.first_row + i);
      }
    }
    block.resize();
    if (!block.rows.empty()) f(block);
  }
}

template <class Row>
LabelledRows<Row> KMeans::Statistics::labelled(std::span<const Row> rows,
                                               const std::int32_t* labels) const {
  return {rows, labels, model_->centers().values.data(), model_->columns(),
          model_->nearest_.squared_norms().data()};
}

template <class Row>
void KMeans::Statistics::assign_block(Block<Row>& block) {
  if (prune_) {
    assign_uncertain(block);
  } else {
    assign(block);
  }
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    weight_[usize(block.labels[i])] += block.weights.empty() ? 1 : block.weights[i];
  }
  rows_ += std::ssize(block.rows);
}

template <class Row>
void KMeans::Statistics::add_block(Block<Row>& block) {
  const std::span<const Row> rows(block.rows);
  if (frame_ != nullptr) {
    add_rows_about(labelled(rows, block.labels.data()), block.weights, frame_->origin.data(),
                   sum_.data());
    return;
  }
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

template <class Row>
void KMeans::Statistics::assign(Block<Row>& block) {
  const std::size_t size = block.rows.size();
  if (bounds_ == nullptr) {
    model_->nearest_.find(std::span<const Row>(block.rows), block.labels.data(), nullptr);
    return;
  }
  block.places.resize(size);
  std::iota(block.places.begin(), block.places.end(), std::size_t{0});
  block.uncertain = block.rows;
  block.found.resize(size);
  block.doubtful.assign(size, ~std::uint64_t{0} >> (64 - bounds_->parts()));
  for (std::size_t i = 0; i < size; ++i) block.labels[i] = bounds_->labels[block.numbers[i]];
  find_doubtful(block);
}

// The nearest of the parts in doubt, for rows in doubt, and new bounds.
template <class Row>
void KMeans::Statistics::find_doubtful(Block<Row>& block) {
  const std::size_t size = block.places.size(), parts = usize(bounds_->parts());
  const std::span<const Row> rows(block.uncertain);
  block.others.resize(size * parts);
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
  for (std::size_t u = 0; u < size; ++u) {
    const std::size_t i = block.places[u], row = block.numbers[i];
    const bool same = block.labels[i] == block.found[u];
    changed_ += same ? 0 : 1;
    if (!prune_ && same && row % kAsked == 0) {
      spared_ +=
          kAsked * (bounds_->parts() - std::popcount(bounds_->doubtful(row, block.reach[u].own)));
    }
    block.labels[i] = block.found[u];
    bounds_->set(row, block.found[u], block.reach[u].own);
    for (std::size_t p = 0; p < parts; ++p) {
      if ((block.doubtful[u] >> p & 1) == 0) continue;
      bounds_->set_other(row, static_cast<Index>(p), block.others[u * parts + p]);
    }
  }
}

// A row's distance from its centre, not less than it is.
template <class Row>
double KMeans::Statistics::own_distance(std::int32_t label, double squared) const {
  if constexpr (std::is_pointer_v<Row>) return bounds_->at_most(squared);
  const double norm = model_->nearest_.squared_norms()[usize(label)];
  const double terms = static_cast<double>(model_->columns() + 8);
  return bounds_->at_most(squared + terms * std::numeric_limits<double>::epsilon() * norm);
}

// In doubt by the bounds that are kept; by the distance from their centre as it is now; and only
// then are other centres looked at.
template <class Row>
void KMeans::Statistics::assign_uncertain(Block<Row>& block) {
  block.places.clear();
  block.uncertain.clear();
  block.found.clear();
  block.doubtful.clear();
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const std::size_t row = block.numbers[i];
    block.labels[i] = bounds_->labels[row];
    if (bounds_->doubtful(row, bounds_->own(row)) == 0) continue;
    block.places.push_back(i);
    block.uncertain.push_back(block.rows[i]);
    block.found.push_back(block.labels[i]);
  }
  squared_distances(labelled(std::span<const Row>(block.uncertain), block.found.data()),
                    block.squared.data());
  std::size_t left = 0;
  Index compared = 0;
  for (std::size_t u = 0; u < block.places.size(); ++u) {
    const std::size_t i = block.places[u], row = block.numbers[i];
    const double own = own_distance<Row>(block.labels[i], block.squared[u]);
    const std::uint64_t doubtful = bounds_->doubtful(row, own);
    if (doubtful == 0) {
      bounds_->set(row, block.labels[i], own);
      continue;
    }
    compared += std::popcount(doubtful);
    block.doubtful.push_back(doubtful);
    block.uncertain[left] = block.uncertain[u];
    block.places[left++] = i;
  }
  block.uncertain.resize(left);
  block.places.resize(left);
  block.found.resize(left);
  find_doubtful(block);
  spared_ += std::ssize(block.rows) * bounds_->parts() - compared;
}

void KMeans::Statistics::merge(const Statistics& next) {
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += next.weight_[c];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  sparse_ = sparse_ || next.sparse_;
  inertia_ += next.inertia_;
  rows_ += next.rows_;
  changed_ += next.changed_;
  spared_ += next.spared_;
  if (next.farthest_ > farthest_) {
    farthest_ = next.farthest_;
    farthest_row_ = next.farthest_row_;
  }
}

void KMeans::Statistics::write(Writer& writer) const {
  for (const auto* values : {&weight_, &sum_, &farthest_row_}) writer.put(*values);
  for (const double value : {inertia_, farthest_}) writer.put(value);
  for (const Index count : {rows_, changed_, spared_, Index{sparse_}}) writer.put(count);
}

void KMeans::Statistics::read(Reader& reader) {
  for (auto* values : {&weight_, &sum_, &farthest_row_}) reader.get(*values);
  for (double* value : {&inertia_, &farthest_}) reader.get(*value);
  Index sparse = 0;
  for (Index* count : {&rows_, &changed_, &spared_, &sparse}) reader.get(*count);
  sparse_ = sparse != 0;
}

Index KMeans::Statistics::words() const {
  return std::ssize(weight_) + std::ssize(sum_) + std::ssize(farthest_row_) + 6;
}

}  // namespace craton
