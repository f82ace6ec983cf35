#include <fmt/core.h>

#include <charconv>

#include "craton/classes/product_bayes.h"
#include "craton/core/error.h"

// A model goes on from the sums over its rows: bit by bit, with another, or without some of them.

namespace craton {

template <ProductModel kModel>
ClassStatistics ProductBayes<kModel>::remembered(std::span<const Parameter> memory,
                                                 const FitReport& report) const {
  const Array& values = get_parameter(memory, "statistics", std::array<Index, 1>{-1});
  const Array& weight = get_parameter(memory, "class_count", std::array<Index, 1>{classes()});
  std::uint64_t hash = 0;
  const std::string& digits = report.data_hash;
  std::from_chars(digits.data(), digits.data() + digits.size(), hash, 16);
  return ClassStatistics::from_values(features(), classes(), weight.values, values.values, hash);
}

template <ProductModel kModel>
void ProductBayes<kModel>::check_memory(std::span<const Parameter> memory) const {
  remembered(memory, {});
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::partial_fit(const Fit<ProductBayes>& so_far,
                                                            Source& x, const Options& options,
                                                            const Exec& exec) {
  check(options);
  check_learns_on(options.semi, options.calibrate);
  std::vector<Feature> features = so_far.model.features();
  check_features(x, features, exec);
  ClassStatistics seen = so_far.model.remembered(so_far.memory.get(), so_far.report);
  seen.widen(features);
  const ClassStatistics more = find_class_statistics(x, features, seen.classes(), exec);
  check_more_weight(x, more.weight());
  seen.add(more);
  Fit<ProductBayes> result = estimate(seen, std::move(features), options, so_far.report.notes);
  set_objective(result.report, result.model.measure(x, exec).joint);
  return result;
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::unlearn(const Fit<ProductBayes>& so_far, Source& x,
                                                        const Options& options, const Exec& exec) {
  check(options);
  check_learns_on(options.semi, options.calibrate);
  const std::vector<Feature>& features = so_far.model.features();
  ClassStatistics seen = so_far.model.remembered(so_far.memory.get(), so_far.report);
  seen.subtract(find_class_statistics(x, features, seen.classes(), exec), x);
  Fit<ProductBayes> result = estimate(seen, features, options, so_far.report.notes);
  set_objective(result.report, so_far.report.objective);
  return result;
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::merge(const Fit<ProductBayes>& a,
                                                      const Fit<ProductBayes>& b,
                                                      const Options& options) {
  check_learns_on(options.semi, options.calibrate);
  std::vector<Feature> features = a.model.features();
  for (std::size_t j = 0; j < features.size(); ++j) {
    Feature other = b.model.features()[j];
    // Codes that one of them has not seen.
    if (!other.buckets && other.family == features[j].family) {
      features[j].levels = other.levels = std::max(features[j].levels, other.levels);
    }
    if (other.buckets && other.cuts == features[j].cuts) {
      features[j].low = other.low = std::min(features[j].low, other.low);
      features[j].high = other.high = std::max(features[j].high, other.high);
    }
    if (other == features[j]) continue;
    throw InputError(
        Code::kWrongColumns, {},
        fmt::format("column {} is {} in one model and {} in the other{}", j + 1, features[j].name(),
                    other.name(), other.buckets ? ", with other cuts" : ""),
        "Fit both with the same --family, or learn on from one of them.");
  }
  ClassStatistics seen = a.model.remembered(a.memory.get(), a.report);
  ClassStatistics more = b.model.remembered(b.memory.get(), b.report);
  seen.widen(features);
  more.widen(features);
  seen.add(more);
  Fit<ProductBayes> result = estimate(seen, std::move(features), options, a.report.notes);
  set_objective(result.report, (a.report.objective + b.report.objective) / 2);
  return result;
}

#define CRATON_INSTANTIATE(M)                                                                 \
  template ClassStatistics M::remembered(std::span<const Parameter>, const FitReport&) const; \
  template void M::check_memory(std::span<const Parameter>) const;                            \
  template Fit<M> M::partial_fit(const Fit<M>&, Source&, const Options&, const Exec&);        \
  template Fit<M> M::unlearn(const Fit<M>&, Source&, const Options&, const Exec&);            \
  template Fit<M> M::merge(const Fit<M>&, const Fit<M>&, const Options&);
CRATON_INSTANTIATE(NaiveBayes)
CRATON_INSTANTIATE(CategoricalNB)
#undef CRATON_INSTANTIATE

}  // namespace craton
