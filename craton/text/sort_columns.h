#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace craton {

// Sorts keys, all below `limit`: by bytes of theirs from the lowest on, as a row has hundreds of
// them. `column` is the part of an item that is its key. Equal keys stay as they were.
template <class T, class Column>
void sort_columns(T* items, std::size_t size, std::uint64_t limit, std::vector<T>& spare,
                  const Column& column) {
  constexpr std::size_t kFew = 32;
  constexpr int kMostBits = 9, kMostPasses = 4;
  if (size <= kFew) {
    for (std::size_t i = 1; i < size; ++i) {  // insertion
      const T item = items[i];
      std::size_t j = i;
      for (; j > 0 && column(item) < column(items[j - 1]); --j) items[j] = items[j - 1];
      items[j] = item;
    }
    return;
  }
  const int bits = static_cast<int>(std::bit_width(limit));
  const int passes = (bits + kMostBits - 1) / kMostBits, digit = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
  std::uint32_t starts[kMostPasses][std::size_t{1} << kMostBits];
  for (int p = 0; p < passes; ++p) std::fill_n(starts[p], mask + 1, 0u);
  for (std::size_t i = 0; i < size; ++i) {
    for (int p = 0; p < passes; ++p) ++starts[p][column(items[i]) >> digit * p & mask];
  }
  if (spare.size() < size) spare.resize(size);
  T *from = items, *to = spare.data();
  for (int p = 0; p < passes; ++p) {
    std::uint32_t* start = starts[p];
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(start[d], sum);
    for (std::size_t i = 0; i < size; ++i)
      to[start[column(from[i]) >> digit * p & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, size, items);
}

}  // namespace craton
