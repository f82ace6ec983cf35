#include "craton/tables/picked_rows.h"

#include <algorithm>
#include <numeric>

namespace craton {
namespace {

// Room for `count` values of a type, and where the next ones go.
template <class T>
T* take_room(std::byte*& at, Index count) {
  T* const result = reinterpret_cast<T*>(at);
  at += usize(count) * sizeof(T);
  return result;
}

template <class T>
Matrix copied(const Dense<T>& x, std::span<const Index> numbers, Block& block) {
  const Index rows = ssize(numbers);
  block.decoded.resize(usize(rows * x.cols) * sizeof(T));
  std::byte* at = block.decoded.data();
  T* const values = take_room<T>(at, rows * x.cols);
  // Rows lie anywhere: memory is asked for those that follow while one is copied.
  constexpr Index kAhead = 4, kLine = 64 / Index{sizeof(T)};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < x.cols && i + kAhead < rows; j += kLine) {
      __builtin_prefetch(x.row(numbers[usize(i + kAhead)]) + j);
    }
    std::copy_n(x.row(numbers[usize(i)]), x.cols, values + i * x.cols);
  }
  return Dense<T>{values, rows, x.cols, x.cols};
}

template <class T>
Matrix copied(const Sparse<T>& x, std::span<const Index> numbers, Block& block) {
  const Index rows = ssize(numbers);
  Index entries = 0;
  for (const Index row : numbers) entries += x.offsets[row + 1] - x.offsets[row];
  block.decoded.resize(usize(rows + 1) * sizeof(Index) +
                       usize(entries) * (sizeof(T) + sizeof(std::int32_t)));
  std::byte* at = block.decoded.data();
  Index* const offsets = take_room<Index>(at, rows + 1);
  T* const values = take_room<T>(at, entries);
  std::int32_t* const columns = take_room<std::int32_t>(at, entries);
  offsets[0] = 0;
  for (Index i = 0; i < rows; ++i) {
    const Index from = x.offsets[numbers[usize(i)]];
    const Index count = x.offsets[numbers[usize(i)] + 1] - from;
    std::copy_n(x.values + from, count, values + offsets[i]);
    std::copy_n(x.columns + from, count, columns + offsets[i]);
    offsets[i + 1] = offsets[i] + count;
  }
  return Sparse<T>{offsets, columns, values, rows, x.cols};
}

// Sparse rows that were copied there.
Sparse<double> copied_before(Block& block, Index rows, Index cols) {
  std::byte* at = block.decoded.data();
  const Index* const offsets = take_room<Index>(at, rows + 1);
  const double* const values = take_room<double>(at, offsets[rows]);
  return {offsets, take_room<std::int32_t>(at, offsets[rows]), values, rows, cols};
}

}  // namespace

PickedRows::PickedRows(Source& source, std::span<const double> weights)
    : SourceOver(source), weights_(weights) {
  if (!source.in_memory()) {
    sparse_ = has_sparse_rows(source);
    return;
  }
  source.fetch({0, source.shape().rows}, whole_);
  source.decode(whole_, all_);
}

std::unique_ptr<Source> PickedRows::reopen() const {
  std::unique_ptr<Source> again = reopen_as<PickedRows>(weights_);
  static_cast<PickedRows&>(*again).pick(numbers_);
  return again;
}

void PickedRows::fetch(RowRange range, Block& block) {
  block.range = range;
  if (all_.rows() > 0) return;
  const auto numbers = numbers_.subspan(usize(range.first), usize(range.size()));
  if (sparse_) {
    SparseArray rows;
    source().gather_entries(numbers, rows);
    const Sparse<double> all{rows.offsets.data(), rows.columns.data(), rows.values.data(),
                             range.size(), shape().cols};
    std::vector<Index> own(numbers.size());
    std::iota(own.begin(), own.end(), Index{0});
    copied(all, own, block);
    return;
  }
  block.raw.resize(usize(range.size() * shape().cols) * sizeof(double));
  source().gather(numbers,
                  {reinterpret_cast<double*>(block.raw.data()), block.raw.size() / sizeof(double)});
}

void PickedRows::decode(Block& block, Chunk& chunk) const {
  const auto numbers = numbers_.subspan(usize(block.range.first), usize(block.range.size()));
  chunk = {.first_row = block.range.first, .x = {}, .labels = {}, .targets = {}, .weights = {}};
  if (!copies_) {
    chunk.x = Dense<double>{nullptr, ssize(numbers), shape().cols, shape().cols};
  } else if (all_.rows() > 0) {
    chunk.x = std::visit([&](const auto& x) { return copied(x, numbers, block); }, all_.x);
  } else if (sparse_) {
    chunk.x = copied_before(block, ssize(numbers), shape().cols);
  } else {
    chunk.x = Dense<double>{reinterpret_cast<const double*>(block.raw.data()), ssize(numbers),
                            shape().cols, shape().cols};
  }
  if (weights_.empty()) return;
  block.weights.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    block.weights[i] = weights_[usize(numbers[i])];
  }
  chunk.weights = block.weights;
}

void PickedRows::gather(std::span<const Index> rows, std::span<double> out) {
  std::vector<Index> theirs;
  for (const Index row : rows) theirs.push_back(number(row));
  source().gather(theirs, out);
}

}  // namespace craton
