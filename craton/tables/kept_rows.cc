#include "craton/tables/kept_rows.h"

#include <algorithm>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"

namespace craton {
namespace {

template <class T>
std::span<const T> part(const std::vector<T>& all, RowRange range) {
  if (all.empty()) return {};
  return std::span(all).subspan(usize(range.first), usize(range.size()));
}

}  // namespace

KeptRows::KeptRows(Source& source, const Exec& exec) : SourceOver(source) {
  const auto [rows, cols] = shape();
  if (rows == 0 || cols == 0 || has_sparse_rows(source)) return;
  Block block;
  Chunk first;
  source.fetch({0, 1}, block);
  source.decode(block, first);
  labels_.resize(first.labels.empty() ? 0 : usize(rows));
  targets_.resize(first.targets.empty() ? 0 : usize(rows));
  weights_.resize(first.weights.empty() ? 0 : usize(rows));
  LargePageTable<double> values(usize(rows * cols));
  for_rows(source, exec, [&](const Chunk& chunk) {
    const Index at = chunk.first_row;
    for (Index i = 0; i < chunk.rows(); ++i) {
      double* const to = values.data() + (at + i) * cols;
      std::visit([&](const auto& x) { copy_row(x, i, to); }, chunk.x);
    }
    std::copy(chunk.labels.begin(), chunk.labels.end(), labels_.begin() + at);
    std::copy(chunk.targets.begin(), chunk.targets.end(), targets_.begin() + at);
    std::copy(chunk.weights.begin(), chunk.weights.end(), weights_.begin() + at);
  });
  values_ = std::move(values);
}

void KeptRows::fetch(RowRange range, Block& block) {
  if (values_.empty()) return source().fetch(range, block);
  block.range = range;
}

void KeptRows::decode(Block& block, Chunk& chunk) const {
  if (values_.empty()) return source().decode(block, chunk);
  const RowRange range = block.range;
  chunk = {range.first, all().slice(range), part(labels_, range), part(targets_, range),
           part(weights_, range)};
}

void KeptRows::gather(std::span<const Index> rows, std::span<double> out) {
  if (values_.empty()) return source().gather(rows, out);
  CRATON_ASSERT(ssize(out) == ssize(rows) * shape().cols);
  for (Index i = 0; i < ssize(rows); ++i) {
    copy_row(all(), rows[usize(i)], &out[usize(i * shape().cols)]);
  }
}

}  // namespace craton
