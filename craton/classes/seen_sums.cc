#include "craton/classes/seen_sums.h"

#include "craton/core/large.h"
#include "craton/kernels/counts.h"

namespace craton {

SeenSums::OfClass SeenSums::OfClass::of(std::span<const std::uint32_t> counts) {
  OfClass seen;
  const std::size_t count = usize(count_nonzero(counts.data(), std::ssize(counts)));
  seen.features.resize(count + usize(kMorePlaces));
  find_nonzero(counts.data(), std::ssize(counts), seen.features.data());
  seen.features.resize(count);
  seen.sums.reserve(seen.features.size());
  std::uint64_t total = 0;
  for (const std::int32_t j : seen.features) {
    seen.sums.push_back(counts[usize(j)]);
    total += counts[usize(j)];
  }
  seen.total = static_cast<double>(total);
  return seen;
}

SeenSums::OfClass SeenSums::OfClass::of(std::span<const double> sums, std::span<const double> low) {
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

std::vector<double> SeenSums::values() const {
  std::vector<double> result = large_zeros<double>(usize(classes() * columns));
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    const OfClass& seen = of_class[c];
    double* const to = result.data() + c * usize(columns);
    for (std::size_t i = 0; i < seen.sums.size(); ++i) to[seen.features[i]] = seen.sums[i];
  }
  return result;
}

std::vector<double> SeenSums::of_all() const {
  std::vector<double> all(usize(columns));
  for (const OfClass& seen : of_class) {
    for (std::size_t i = 0; i < seen.sums.size(); ++i) all[usize(seen.features[i])] += seen.sums[i];
  }
  return all;
}

}  // namespace craton
