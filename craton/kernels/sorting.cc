#include "craton/kernels/sorting.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>

namespace craton {
namespace {

// Of fewer the networks of the quicksort are not worth the way to them.
constexpr std::size_t kFew = 64;

template <class T>
void sort_numbers(std::span<T> values) {
  if (values.size() < kFew) {
    std::ranges::sort(values);
  } else {
    const hwy::Sorter sorter;
    sorter(values.data(), values.size(), hwy::SortAscending());
  }
}

}  // namespace

void sort_ascending(std::span<double> values) {
  if (hwy::Sorter::HaveFloat64()) {
    sort_numbers(values);
  } else {  // vectors without doubles sort nothing
    std::ranges::sort(values);
  }
}

void sort_ascending(std::span<std::uint64_t> values) { sort_numbers(values); }

}  // namespace craton
