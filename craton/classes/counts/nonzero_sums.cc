#include "craton/classes/counts/nonzero_sums.h"

#include <algorithm>
#include <numeric>

#include "craton/base/large_pages.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/counts.h"

namespace craton {

NonzeroCounts::NonzeroCounts(std::size_t columns)
    : places_(std::make_unique_for_overwrite<std::int32_t[]>(columns + usize(kMorePlaces))),
      counts_(std::make_unique_for_overwrite<std::uint32_t[]>(columns + usize(kMorePlaces))) {}

NonzeroSums::OfClass NonzeroCounts::among(std::span<const std::uint32_t> cells) {
  const Index found = find_nonzero(cells.data(), std::ssize(cells), places_.get(), counts_.get());
  NonzeroSums::OfClass seen{{places_.get(), places_.get() + found},
                            {counts_.get(), counts_.get() + found}};
  seen.total =
      static_cast<double>(std::accumulate(counts_.get(), counts_.get() + found, std::uint64_t{0}));
  return seen;
}

NonzeroSums::OfClass NonzeroSums::OfClass::of(std::span<const double> sums,
                                              std::span<const double> low) {
  OfClass seen;
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const double sum = low.empty() ? sums[j] : sums[j] + low[j];
    if (sum == 0) continue;
    seen.features.push_back(static_cast<std::int32_t>(j));
    seen.sums.push_back(sum);
    seen.total += sum;
  }
  return seen;
}

std::vector<double> NonzeroSums::values() const {
  std::vector<double> result = zeros_in_large_pages<double>(usize(classes() * columns));
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const OfClass& seen = of_class[c];
    double* const to = result.data() + c * usize(columns);
    for (std::size_t i = 0; i < seen.sums.size(); ++i) to[seen.features[i]] = seen.sums[i];
  }
  return result;
}

std::vector<double> NonzeroSums::of_all(const Exec& exec) const {
  constexpr Index kColumnsOfTask = 8192;
  std::vector<double> all(usize(columns));
  for_each((columns + kColumnsOfTask - 1) / kColumnsOfTask, exec, [&](Index task) {
    const auto first = static_cast<std::int32_t>(task * kColumnsOfTask);
    const Index last = std::min(columns, first + kColumnsOfTask);
    for (const OfClass& seen : of_class) {
      const auto begin = std::lower_bound(seen.features.begin(), seen.features.end(), first);
      const double* sum = seen.sums.data() + (begin - seen.features.begin());
      for (auto j = begin; j != seen.features.end() && *j < last; ++j) all[usize(*j)] += *sum++;
    }
  });
  return all;
}

}  // namespace craton
