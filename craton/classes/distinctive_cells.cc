#include "craton/classes/distinctive_cells.h"

#include <algorithm>
#include <numeric>

namespace craton {

std::vector<std::vector<std::size_t>> distinctive_cells(std::span<const double> table,
                                                        Index classes) {
  constexpr std::size_t kTop = 8;
  constexpr double kLeast = -700;  // in place of log 0
  const std::size_t k = usize(classes), d = table.size() / k, top = std::min(kTop, d);
  std::vector<double> mean(d);
  for (std::size_t i = 0; i < table.size() && k > 1; ++i) {
    mean[i % d] += std::max(table[i], kLeast) / static_cast<double>(k);
  }
  std::vector<std::vector<std::size_t>> result;
  std::vector<std::size_t> order(d);
  for (std::size_t c = 0; c < k; ++c) {
    const double* const row = &table[c * d];
    const auto above = [&](std::size_t j) { return row[j] - mean[j]; };
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::partial_sort(order.begin(), order.begin() + static_cast<Index>(top), order.end(),
                      [&](std::size_t a, std::size_t b) {
                        return above(a) > above(b) || (above(a) == above(b) && a < b);
                      });
    auto& cells = result.emplace_back(order.begin(), order.begin() + static_cast<Index>(top));
    if (k > 1) std::erase_if(cells, [&](std::size_t j) { return !(above(j) > 0); });
  }
  return result;
}

}  // namespace craton
