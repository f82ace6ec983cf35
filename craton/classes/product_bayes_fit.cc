#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "craton/classes/product_bayes.h"
#include "craton/core/error.h"
#include "craton/density/density_passes.h"

// From the rows of each class to a model, at once or bit by bit.

namespace craton {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

void describe_alpha(OptionVisitor& v, double& alpha) {
  v.number("alpha", alpha, 0, kInfinite,
           "rows of every category added to each class; 0: the shares of the rows");
}

}  // namespace

void describe(OptionVisitor& v, NaiveBayes::Options& o) {
  v.text("family", o.choice.family,
         "what columns of numbers are: auto, a family, or buckets (equal-width, equal-frequency, "
         "mdl); or COLUMN=ONE,...");
  v.integer("n_buckets", o.choice.n_buckets, 1, kMostLevels,
            "number of buckets of equal width or frequency");
  describe_alpha(v, o.choice.smoothing.alpha);
  v.number("prior_rows", o.choice.smoothing.prior_rows, 0, kInfinite,
           "rows like the whole column added to each class, for families of numbers");
  v.number("var_smoothing", o.choice.smoothing.var_smoothing, 0, kInfinite,
           "least variance of a class, in units of its column's");
  describe(v, o.prior);
}

void describe(OptionVisitor& v, CategoricalNB::Options& o) {
  describe_alpha(v, o.choice.smoothing.alpha);
  v.integer("min_categories", o.min_categories, 0, kMostLevels,
            "least number of categories of a column of codes");
  describe(v, o.prior);
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::estimate(const ClassStatistics& seen,
                                                         std::vector<Feature> features,
                                                         const Options& options,
                                                         std::vector<Note> notes) {
  const Index k = seen.classes();
  Array log_prior{{k}, log_class_prior(options.prior, seen.weight())};
  std::vector<Parameters> parameters = estimate_features(features, seen, options.choice.smoothing);
  FeatureScores scores(std::move(features), std::move(parameters), k);
  const std::vector<double> values = seen.to_values();
  FitReport report;
  report.converged = true;
  report.notes = std::move(notes);
  report.data_hash = fmt::format("{:016x}", seen.hash());
  return {
      ProductBayes(std::move(log_prior), std::move(scores)),
      std::move(report),
      {{"statistics", "of the columns over the rows of each class", {{std::ssize(values)}, values}},
       {"class_count", "weight of the rows of each class", {{k}, seen.weight()}}}};
}

namespace {

template <class M>
Fit<M> with_objective(Fit<M> fit, double objective) {
  fit.report.objective = objective;
  fit.report.trace = {objective};
  return fit;
}

template <class Options>
void check(Options options) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
}

}  // namespace

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::fit(Source& x, const Options& options,
                                                    const Exec& exec) {
  check(options);
  const Index k = count_classes(x);
  const std::vector<Extent> extents = find_extents(x, exec);
  std::vector<Feature> features;
  if constexpr (kMixed) {
    features = choose_features(x, extents, options.choice, exec);
  } else {
    features = categorical_features(x, extents, options.min_categories, exec);
  }
  const ClassStatistics seen = fold(x, ClassStatistics(x, features, k), exec);
  std::vector<Note> notes;
  check_classes(x, seen.weight(), seen.unlabelled(), notes);
  Fit<ProductBayes> result = estimate(seen, std::move(features), options, std::move(notes));
  return with_objective(std::move(result), result.model.measure(x, exec).joint);
}

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
  std::vector<Feature> features = so_far.model.features();
  check_features(x, features, exec);
  ClassStatistics seen = so_far.model.remembered(so_far.memory, so_far.report);
  seen.widen(features);
  seen.add(fold(x, ClassStatistics(x, features, seen.classes()), exec));
  Fit<ProductBayes> result = estimate(seen, std::move(features), options, so_far.report.notes);
  return with_objective(std::move(result), result.model.measure(x, exec).joint);
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::unlearn(const Fit<ProductBayes>& so_far, Source& x,
                                                        const Options& options, const Exec& exec) {
  check(options);
  const std::vector<Feature>& features = so_far.model.features();
  ClassStatistics seen = so_far.model.remembered(so_far.memory, so_far.report);
  seen.subtract(fold(x, ClassStatistics(x, features, seen.classes()), exec), x);
  return with_objective(estimate(seen, features, options, so_far.report.notes),
                        so_far.report.objective);
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::merge(const Fit<ProductBayes>& a,
                                                      const Fit<ProductBayes>& b,
                                                      const Options& options) {
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
  ClassStatistics seen = a.model.remembered(a.memory, a.report);
  ClassStatistics more = b.model.remembered(b.memory, b.report);
  seen.widen(features);
  more.widen(features);
  seen.add(more);
  return with_objective(estimate(seen, std::move(features), options, a.report.notes),
                        (a.report.objective + b.report.objective) / 2);
}

#define CRATON_INSTANTIATE(M)                                                                 \
  template Fit<M> M::estimate(const ClassStatistics&, std::vector<Feature>, const Options&,   \
                              std::vector<Note>);                                             \
  template Fit<M> M::fit(Source&, const Options&, const Exec&);                               \
  template ClassStatistics M::remembered(std::span<const Parameter>, const FitReport&) const; \
  template void M::check_memory(std::span<const Parameter>) const;                            \
  template Fit<M> M::partial_fit(const Fit<M>&, Source&, const Options&, const Exec&);        \
  template Fit<M> M::unlearn(const Fit<M>&, Source&, const Options&, const Exec&);            \
  template Fit<M> M::merge(const Fit<M>&, const Fit<M>&, const Options&);
CRATON_INSTANTIATE(NaiveBayes)
CRATON_INSTANTIATE(CategoricalNB)

}  // namespace craton
