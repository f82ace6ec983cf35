#include "craton/tables/row_set.h"

#include <cmath>

#include "craton/engine/for_each.h"

namespace craton {
namespace {

constexpr Index kGroup = 64;  // words of a group

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

bool may_miss(const Source& x) {
  bool any = x.may_miss(Source::kWeights) ||
             (x.schema().number_target() && x.may_miss(Source::kTargetNumbers));
  for (Index j = 0; !any && j < x.shape().cols; ++j) any = x.may_miss(j);
  return any;
}

}  // namespace

RowSet::RowSet(Index rows) : rows_(rows), words_(usize((rows + kBits - 1) / kBits)) {}

RowSet RowSet::complete(Source& x, const Exec& exec) {
  if (!may_miss(x)) return where(x.shape().rows, [](Index) { return true; });
  RowSet result(x.shape().rows);
  const bool targets = x.schema().number_target();
  // Chunks start at multiples of a word, so no two of them share one.
  for_rows(x, exec, [&](const Chunk& chunk) {
    CRATON_ASSERT(chunk.first_row % kBits == 0);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const bool missing = std::isnan(chunk.weight(i)) ||
                           (targets && std::isnan(chunk.targets[usize(i)])) ||
                           std::visit([&](const auto& v) { return misses_value(v, i); }, chunk.x);
      if (!missing) result.add(chunk.first_row + i);
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
      if (label >= 0) result[usize(label)].add(chunk.first_row + i);
    }
  });
  for (RowSet& set : result) set.count();
  return result;
}

RowSet RowSet::where(Index rows, FunctionRef<bool(Index)> wanted) {
  RowSet result(rows);
  for (Index row = 0; row < rows; ++row) {
    if (wanted(row)) result.add(row);
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

}  // namespace craton
