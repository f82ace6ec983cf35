#include "craton/core/select_columns.h"

#include <functional>
#include <utility>

#include "craton/core/error.h"

namespace craton {
namespace {

// Columns of a dense view, row after row.
template <class T>
void copy_columns(const Dense<T>& x, std::span<const Index> columns, double* out) {
  for (Index i = 0; i < x.rows; ++i) {
    const T* const row = x.row(i);
    for (const Index j : columns) *out++ = static_cast<double>(row[j]);
  }
}

template <class T>
void copy_columns(const Sparse<T>& x, std::span<const Index> columns, double* out) {
  std::vector<double> row(usize(x.cols));
  for (Index i = 0; i < x.rows; ++i) {
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      row[usize(x.columns[e])] = static_cast<double>(x.values[e]);
    }
    for (const Index j : columns) *out++ = row[usize(j)];
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) row[usize(x.columns[e])] = 0;
  }
}

const void* values_of(const Matrix& x) {
  return std::visit(
      [](const auto& view) -> const void* {
        if constexpr (requires { view.data; })
          return view.data;
        else
          return view.values;
      },
      x);
}

bool lies_in(const std::vector<std::byte>& bytes, const Matrix& x) {
  const auto* const at = static_cast<const std::byte*>(values_of(x));
  return std::greater_equal<>()(at, bytes.data()) && std::less<>()(at, bytes.data() + bytes.size());
}

}  // namespace

SelectedSource::SelectedSource(Source& source, std::vector<Index> columns, Index weights)
    : source_(&source), columns_(std::move(columns)), weights_(weights) {
  const Index cols = source.shape().cols;
  CRATON_ASSERT(weights >= kNoWeights && weights < cols);
  for (const Index j : columns_) {
    CRATON_ASSERT(j >= 0 && j < cols);
    schema_.columns.push_back(source.schema().columns[usize(j)]);
  }
}

SelectedSource::SelectedSource(std::unique_ptr<Source> source, std::vector<Index> columns,
                               Index weights)
    : SelectedSource(*source, std::move(columns), weights) {
  owned_ = std::move(source);
}

void SelectedSource::decode(Block& block, Chunk& chunk) const {
  source_->decode(block, chunk);
  const Index rows = block.range.size(), cols = shape().cols;
  // The source may have decoded into the block itself: then its values stay until they are copied.
  std::vector<std::byte> theirs;
  if (lies_in(block.decoded, chunk.x)) std::swap(theirs, block.decoded);
  block.decoded.resize(usize(rows * (cols + 1)) * sizeof(double));
  auto* const out = reinterpret_cast<double*>(block.decoded.data());
  std::visit([&](const auto& x) { copy_columns(x, columns_, out); }, chunk.x);
  if (weights_ != kNoWeights) {
    double* const weights = out + rows * cols;
    std::visit([&](const auto& x) { copy_columns(x, {&weights_, 1}, weights); }, chunk.x);
    chunk.weights = {weights, usize(rows)};
  }
  chunk.x = Dense<double>{out, rows, cols, cols};
}

void SelectedSource::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = shape().cols, width = source_->shape().cols;
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  std::vector<double> row(usize(width));
  for (Index i = 0; i < ssize(rows); ++i) {
    source_->gather(rows.subspan(usize(i), 1), row);
    for (Index j = 0; j < cols; ++j) out[usize(i * cols + j)] = row[usize(columns_[usize(j)])];
  }
}

std::unique_ptr<Source> SelectedSource::reopen() const {
  return std::make_unique<SelectedSource>(source_->reopen(), columns_, weights_);
}

}  // namespace craton
