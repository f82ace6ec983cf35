#include "craton/tables/select_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "craton/engine/for_each.h"

namespace craton {
namespace {

constexpr Index kBits = 64, kGroup = 64;  // bits of a word, words of a group

template <class T>
bool misses_value(const Dense<T>& x, Index row) {
  const T* const values = x.row(row);
  return std::any_of(values, values + x.cols, [](T v) { return std::isnan(v); });
}

template <class T>
bool misses_value(const Sparse<T>& x, Index row) {
  return std::any_of(x.values + x.offsets[row], x.values + x.offsets[row + 1],
                     [](T v) { return std::isnan(v); });
}

// Room for `count` values of a type, in bytes that outlive this.
template <class T>
T* take(std::byte*& at, Index count) {
  T* const result = reinterpret_cast<T*>(at);
  at += usize(count) * sizeof(T);
  return result;
}

// What belongs to the rows that are kept, in the rest of the block's room.
void keep_fields(std::span<const Index> kept, std::byte* at, Chunk& chunk) {
  const auto keep = [&]<class T>(std::span<const T>& values) {
    if (values.empty()) return;
    T* const to = take<T>(at, ssize(kept));
    for (std::size_t i = 0; i < kept.size(); ++i) to[i] = values[usize(kept[i])];
    values = {to, kept.size()};
  };
  keep(chunk.targets);
  keep(chunk.weights);
  keep(chunk.labels);
}

constexpr std::size_t kFieldBytes = 2 * sizeof(double) + sizeof(std::int32_t);  // of a row

template <class T>
void keep_rows(Dense<T> x, std::span<const Index> kept, Block& block, Chunk& chunk) {
  const Index count = ssize(kept);
  block.decoded =
      std::vector<std::byte>(usize(count * x.cols) * sizeof(double) + kept.size() * kFieldBytes);
  std::byte* at = block.decoded.data();
  double* const values = take<double>(at, count * x.cols);
  for (Index i = 0; i < count; ++i) copy_row(x, kept[usize(i)], values + i * x.cols);
  keep_fields(kept, at, chunk);
  chunk.x = Dense<double>{values, count, x.cols, x.cols};
}

template <class T>
void keep_rows(Sparse<T> x, std::span<const Index> kept, Block& block, Chunk& chunk) {
  const Index count = ssize(kept);
  Index entries = 0;
  for (const Index i : kept) entries += x.offsets[i + 1] - x.offsets[i];
  const Index columns_room = entries + entries % 2;  // what follows lies at a multiple of 8 bytes
  block.decoded = std::vector<std::byte>(
      usize(entries) * sizeof(double) + usize(count + 1) * sizeof(Index) +
      usize(columns_room) * sizeof(std::int32_t) + kept.size() * kFieldBytes);
  std::byte* at = block.decoded.data();
  double* const values = take<double>(at, entries);
  Index* const offsets = take<Index>(at, count + 1);
  std::int32_t* const columns = take<std::int32_t>(at, columns_room);
  offsets[0] = 0;
  for (Index i = 0; i < count; ++i) {
    const Index from = x.offsets[kept[usize(i)]], last = x.offsets[kept[usize(i)] + 1];
    std::copy(x.columns + from, x.columns + last, columns + offsets[i]);
    std::transform(x.values + from, x.values + last, values + offsets[i],
                   [](T v) { return static_cast<double>(v); });
    offsets[i + 1] = offsets[i] + last - from;
  }
  keep_fields(kept, at, chunk);
  chunk.x = Sparse<double>{offsets, columns, values, count, x.cols};
}

}  // namespace

RowSet::RowSet(Index rows) : rows_(rows), words_(usize((rows + kBits - 1) / kBits)) {}

RowSet RowSet::complete(Source& x, const Exec& exec) {
  RowSet result(x.shape().rows);
  // Chunks start at multiples of a word, so no two of them share one.
  for_rows(x, exec, [&](const Chunk& chunk) {
    CRATON_ASSERT(chunk.first_row % kBits == 0);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const bool missing = std::isnan(chunk.weight(i)) ||
                           std::visit([&](const auto& v) { return misses_value(v, i); }, chunk.x);
      const Index row = chunk.first_row + i;
      if (!missing) result.words_[usize(row / kBits)] |= std::uint64_t{1} << (row % kBits);
    }
  });
  result.count();
  return result;
}

std::vector<RowSet> RowSet::by_label(Source& x, Index labels, const Exec& exec) {
  std::vector<RowSet> result(usize(labels), RowSet(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    CRATON_ASSERT(chunk.first_row % kBits == 0);
    for (Index i = 0; i < ssize(chunk.labels); ++i) {
      const std::int32_t label = chunk.labels[usize(i)];
      const Index row = chunk.first_row + i;
      if (label < 0) continue;
      result[usize(label)].words_[usize(row / kBits)] |= std::uint64_t{1} << (row % kBits);
    }
  });
  for (RowSet& set : result) set.count();
  return result;
}

RowSet RowSet::where(Index rows, FunctionRef<bool(Index)> wanted) {
  RowSet result(rows);
  for (Index row = 0; row < rows; ++row) {
    if (wanted(row)) result.words_[usize(row / kBits)] |= std::uint64_t{1} << (row % kBits);
  }
  result.count();
  return result;
}

void RowSet::count() {
  Index sum = 0;
  for (Index w = 0; w < ssize(words_); ++w) {
    if (w % kGroup == 0) before_.push_back(sum);
    sum += std::popcount(words_[usize(w)]);
  }
  before_.push_back(sum);
}

Index RowSet::rank(Index row) const {
  if (row == rows_) return size();
  const Index word = row / kBits;
  Index sum = before_[usize(word / kGroup)];
  for (Index w = word - word % kGroup; w < word; ++w) sum += std::popcount(words_[usize(w)]);
  const std::uint64_t below = (std::uint64_t{1} << (row % kBits)) - 1;
  return sum + std::popcount(words_[usize(word)] & below);
}

Index RowSet::operator[](Index number) const {
  const auto group = std::upper_bound(before_.begin(), before_.end() - 1, number) - 1;
  Index left = number - *group, w = (group - before_.begin()) * kGroup;
  for (; left >= std::popcount(words_[usize(w)]); ++w) left -= std::popcount(words_[usize(w)]);
  std::uint64_t word = words_[usize(w)];
  for (; left > 0; --left) word &= word - 1;
  return w * kBits + std::countr_zero(word);
}

Index RowSet::first_absent() const {
  Index row = 0;
  while (contains(row)) ++row;
  return row;
}

SelectedRows::SelectedRows(Source& source, const RowSet& rows) : SourceOver(source), rows_(rows) {
  CRATON_ASSERT(source.shape().rows == rows.rows());
}

void SelectedRows::fetch(RowRange range, Block& block) {
  if (range.size() == 0) return source().fetch({}, block);
  source().fetch({rows_[range.first], rows_[range.last - 1] + 1}, block);
}

void SelectedRows::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  // In the numbers of the source: those of the block may be of one that lies below it.
  const RowRange range{chunk.first_row, chunk.first_row + chunk.rows()};
  const Index first = rows_.rank(range.first), count = rows_.rank(range.last) - first;
  chunk.first_row = first;
  if (count == range.size()) return;
  const std::vector<std::byte> theirs = std::move(block.decoded);  // may hold what is copied now
  std::vector<Index> kept;
  for (Index i = 0; i < range.size(); ++i) {
    if (rows_.contains(range.first + i)) kept.push_back(i);
  }
  std::visit([&](const auto& x) { keep_rows(x, kept, block, chunk); }, chunk.x);
}

void SelectedRows::gather(std::span<const Index> rows, std::span<double> out) {
  std::vector<Index> theirs;
  for (const Index row : rows) theirs.push_back(rows_[row]);
  source().gather(theirs, out);
}

void RowSlice::gather(std::span<const Index> rows, std::span<double> out) {
  std::vector<Index> theirs;
  for (const Index row : rows) theirs.push_back(range_.first + row);
  source().gather(theirs, out);
}

}  // namespace craton
