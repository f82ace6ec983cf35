#include <algorithm>
#include <limits>
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
  std::vector<double> others, squared;  // distances: from other centres at least; from their own
  // Of those whose centre must be looked for:
  std::vector<Row> uncertain;
  std::vector<std::size_t> places;
  std::vector<std::int32_t> found;

  void clear() {
    rows.clear();
    numbers.clear();
    weights.clear();
  }
  void resize() {
    labels.resize(rows.size());
    others.resize(rows.size());
    squared.resize(rows.size());
  }
};

KMeans::Statistics::Statistics(const KMeans& model, RowBounds* bounds, bool prune)
    : model_(&model),
      bounds_(bounds),
      prune_(prune),
      weight_(usize(model.classes())),
      sum_(model.centers().values.size()),
      farthest_row_(usize(model.columns())) {}

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
  const Index size = std::clamp(kBlockBytes / row_bytes, kLeastRows, kMostRows);
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
    if (!block.rows.empty()) add_block(block);
  }
}

template <class Row>
LabelledRows<Row> KMeans::Statistics::labelled(const Block<Row>& block) const {
  return {block.rows, block.labels.data(), model_->centers().values.data(), model_->columns(),
          model_->nearest_.squared_norms().data()};
}

template <class Row>
void KMeans::Statistics::add_block(Block<Row>& block) {
  block.resize();
  if (prune_) {
    assign_uncertain(block);
  } else {
    double* others = bounds_ == nullptr ? nullptr : block.others.data();
    model_->nearest_.find(std::span<const Row>(block.rows), block.labels.data(), others);
  }
  add_differences(labelled(block), block.weights, sum_.data(), block.squared.data());
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const double w = block.weights.empty() ? 1 : block.weights[i];
    weight_[usize(block.labels[i])] += w;
    inertia_ += w * block.squared[i];
    if (block.squared[i] > farthest_) {
      farthest_ = block.squared[i];
      copy_row(block.rows[i], farthest_row_);
    }
  }
  rows_ += std::ssize(block.rows);
  if (bounds_ != nullptr) remember(block);
}

// The squared distance of row i from its centre, not less than it is but for the margin of the
// bounds.
template <class Row>
double KMeans::Statistics::at_most(const Block<Row>& block, std::size_t i) const {
  if constexpr (std::is_pointer_v<Row>) return block.squared[i];
  const double norm = model_->nearest_.squared_norms()[usize(block.labels[i])];
  const double terms = static_cast<double>(model_->columns() + 8);
  return block.squared[i] + terms * std::numeric_limits<double>::epsilon() * norm;
}

template <class Row>
void KMeans::Statistics::assign_uncertain(Block<Row>& block) {
  const std::size_t size = block.rows.size();
  for (std::size_t i = 0; i < size; ++i) block.labels[i] = bounds_->labels[block.numbers[i]];
  squared_distances(labelled(block), block.squared.data());
  block.uncertain.clear();
  block.places.clear();
  for (std::size_t i = 0; i < size; ++i) {
    block.others[i] = bounds_->lower(block.numbers[i]);
    if (bounds_->certain(usize(block.labels[i]), at_most(block, i), block.others[i])) continue;
    block.uncertain.push_back(block.rows[i]);
    block.places.push_back(i);
  }
  block.found.resize(block.places.size());
  std::vector<double> others(block.places.size());
  model_->nearest_.find(std::span<const Row>(block.uncertain), block.found.data(), others.data());
  for (std::size_t u = 0; u < block.places.size(); ++u) {
    block.labels[block.places[u]] = block.found[u];
    block.others[block.places[u]] = others[u];
  }
  spared_ += std::ssize(block.rows) - std::ssize(block.places);
}

template <class Row>
void KMeans::Statistics::remember(const Block<Row>& block) {
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const std::size_t row = block.numbers[i], label = usize(block.labels[i]);
    const bool same = bounds_->labels[row] == block.labels[i];
    if (!prune_ && row % kAsked == 0 && same &&
        bounds_->certain(label, at_most(block, i), bounds_->lower(row))) {
      spared_ += kAsked;
    }
    changed_ += same ? 0 : 1;
    bounds_->labels[row] = block.labels[i];
    bounds_->others[row] = block.others[i];
  }
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
