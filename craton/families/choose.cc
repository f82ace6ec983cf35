#include "craton/families/choose.h"

#include <algorithm>
#include <cmath>

namespace craton {

double Candidate::aic() const {
  return 2 * static_cast<double>(free_parameters) - 2 * log_likelihood;
}

double Candidate::bic() const {
  return static_cast<double>(free_parameters) * std::log(weight) - 2 * log_likelihood;
}

std::vector<const Family*> comparable_families(const Extent& extent) {
  const bool counts = holds(Support::kCounts, extent);
  std::vector<const Family*> found = families_that_hold(extent);
  std::erase_if(found, [&](const Family* family) {
    const Support support = family->info().support;
    const bool counted = support == Support::kCounts || support == Support::kBinary;
    return counted != counts || family->info().told > 0 || family->info().keeps_values;
  });
  return found;
}

Index best_of(std::span<const Candidate> candidates, Criterion criterion) {
  const auto better = [&](const Candidate& a, const Candidate& b) {
    return a.value(criterion) < b.value(criterion);
  };
  return std::min_element(candidates.begin(), candidates.end(), better) - candidates.begin();
}

Candidate fit_family(const Family& family, std::span<const double> values,
                     std::span<const double> weights, const Estimation& how) {
  const bool category = family.info().support == Support::kCategory;
  const Index levels =
      category ? static_cast<Index>(*std::max_element(values.begin(), values.end())) + 1 : 0;
  Statistics statistics = family.empty(levels);
  family.accumulate(values, weights, statistics);
  Candidate result{&family, family.estimate(statistics, how), 0, weight(statistics),
                   family.free_parameters(levels)};
  std::vector<double> log_density(values.size());
  family.log_density(values, result.parameters, log_density);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    if (w > 0) result.log_likelihood += w * log_density[i];
  }
  return result;
}

std::vector<Candidate> compare_families(std::span<const double> values,
                                        std::span<const double> weights, Criterion criterion) {
  Extent extent;
  extent.add(values);
  CRATON_ASSERT(extent.low < extent.high);
  std::vector<Candidate> candidates;
  for (const Family* family : comparable_families(extent)) {
    candidates.push_back(fit_family(*family, values, weights));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) {
                     return a.value(criterion) < b.value(criterion);
                   });
  return candidates;
}

}  // namespace craton
