#pragma once
#include <algorithm>
#include <array>
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
  constexpr std::size_t kFew = 32, kDigits = 256;
  if (size <= kFew) {
    for (std::size_t i = 1; i < size; ++i) {  // insertion
      const T item = items[i];
      std::size_t j = i;
      for (; j > 0 && column(item) < column(items[j - 1]); --j) items[j] = items[j - 1];
      items[j] = item;
    }
    return;
  }
  const int bytes = (static_cast<int>(std::bit_width(limit)) + 7) / 8;
  std::array<std::array<std::uint32_t, kDigits>, 4> starts{};
  for (std::size_t i = 0; i < size; ++i) {
    for (int b = 0; b < bytes; ++b) {
      ++starts[static_cast<std::size_t>(b)][column(items[i]) >> 8 * b & 0xFF];
    }
  }
  if (spare.size() < size) spare.resize(size);
  T *from = items, *to = spare.data();
  for (int b = 0; b < bytes; ++b) {
    auto& start = starts[static_cast<std::size_t>(b)];
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < size; ++i) to[start[column(from[i]) >> 8 * b & 0xFF]++] = from[i];
    std::swap(from, to);
  }
  if (from != items) std::copy_n(from, size, items);
}

}  // namespace craton
