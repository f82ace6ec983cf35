#include <fmt/core.h>

#include <limits>

#include "craton/classes/product_bayes.h"
#include "craton/density/density_passes.h"
#include "craton/kernels/special.h"

// From the rows of each class to a model.

namespace craton {
namespace {

void describe_alpha(OptionVisitor& v, double& alpha) {
  v.number("alpha", alpha, 0, kInfinite,
           "rows of every category added to each class; 0: the shares of the rows");
}

// Of each column.
std::vector<Index> least_categories(const ProductOptions& options, Index columns) {
  const Array& each = options.min_categories_each;
  if (each.empty()) return std::vector<Index>(usize(columns), options.min_categories);
  if (ssize(each.values) != columns) {
    throw InputError(
        Code::kBadOption, {},
        fmt::format("min_categories = {} is not allowed", to_text(OptionValue(each))),
        fmt::format("Give a whole number, or one for each of the {} columns.", columns));
  }
  std::vector<Index> least;
  for (const double v : each.values) least.push_back(static_cast<Index>(v));
  return least;
}

void describe_rest(OptionVisitor& v, ProductOptions& o) {
  describe(v, o.prior);
  describe(v, o.semi);
  v.choice("calibrate", o.calibrate, {"none", "leave-one-out"},
           "probabilities as they are, or made honest by rows left out");
}

}  // namespace

void describe(OptionVisitor& v, NaiveBayes::Options& o) {
  v.text("family", o.choice.family,
         "what columns of numbers are: auto, a family, or buckets (equal-width, equal-frequency, "
         "mdl); or COLUMN=ONE,...");
  v.integer("n_buckets", o.choice.n_buckets, 1, kMostLevels,
            "number of buckets of equal width or frequency");
  describe_alpha(v, o.choice.smoothing.alpha);
  v.number(
      "prior_rows", o.choice.smoothing.prior_rows, 0, kInfinite,
      "rows like the whole column added to each class, for families of numbers; where these have "
      "a spread of their own, times the share of the column's variance within classes");
  v.number("var_smoothing", o.choice.smoothing.var_smoothing, 0, kInfinite,
           "least variance of a class, in units of its column's");
  describe_rest(v, o);
}

void describe(OptionVisitor& v, CategoricalNB::Options& o) {
  describe_alpha(v, o.choice.smoothing.alpha);
  v.integer_or_array("min_categories", o.min_categories, o.min_categories_each, 0, kMostLevels,
                     "least number of categories of a column of codes, or an array with that of "
                     "each column");
  describe_rest(v, o);
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::estimate(const ClassStatistics& seen,
                                                         std::vector<Feature> features,
                                                         const Options& options,
                                                         std::vector<Note> notes) {
  const Index k = seen.classes();
  Array log_prior{{k}, log_class_prior(options.prior, seen.weight())};
  std::vector<Parameters> parameters = estimate_features(features, seen, options.choice.smoothing);
  const std::vector<double> values = seen.to_values();
  FitReport report;
  report.converged = true;
  report.notes = std::move(notes);
  report.data_hash = fmt::format("{:016x}", seen.hash());
  return {
      ProductBayes(ClassProduct(std::move(log_prior), std::move(features), std::move(parameters))),
      std::move(report),
      std::vector<Parameter>{
          {"statistics",
           "of the columns over the rows of each class",
           {{std::ssize(values)}, values}},
          {"class_count", "weight of the rows of each class", {{k}, seen.weight()}}}};
}

template <ProductModel kModel>
void ProductBayes<kModel>::set_objective(FitReport& report, double objective) {
  report.objective = objective;
  report.trace = {objective};
}

template <ProductModel kModel>
void ProductBayes<kModel>::check(Options options) {
  check_options([&](OptionVisitor& v) { describe(v, options); });
}

template <ProductModel kModel>
Fit<ProductBayes<kModel>> ProductBayes<kModel>::fit(Source& x, const Options& options,
                                                    const Exec& exec) {
  check(options);
  const Index k = count_classes(x);
  check_any_row(x);
  const std::vector<Extent> extents = find_extents(x, exec);
  std::vector<Feature> features;
  if constexpr (kMixed) {
    features = choose_features(x, extents, options.choice, exec);
  } else {
    features = categorical_features(x, extents, least_categories(options, x.shape().cols), exec);
  }
  const ClassStatistics seen = find_class_statistics(x, features, k, exec);
  std::vector<Note> notes;
  check_classes(x, seen.weight(), seen.unlabelled(), notes);
  Fit<ProductBayes> result = estimate(seen, std::move(features), options, std::move(notes));
  const bool em = options.semi.unlabelled == Unlabelled::kEm && seen.unlabelled() > 0;
  if (em) {
    learn_unlabelled(x, seen, options, exec, result);
  } else {
    set_objective(result.report, result.model.measure(x, exec).joint);
  }
  if (options.calibrate == Calibrate::kLeaveOneOut) {
    calibrate(x, em ? result.model.remembered(result.memory.get(), {}) : seen, options, exec,
              result);
  }
  return result;
}

#define CRATON_INSTANTIATE(M)                                                               \
  template Fit<M> M::estimate(const ClassStatistics&, std::vector<Feature>, const Options&, \
                              std::vector<Note>);                                           \
  template void M::set_objective(FitReport&, double);                                       \
  template void M::check(Options);                                                          \
  template Fit<M> M::fit(Source&, const Options&, const Exec&);
CRATON_INSTANTIATE(NaiveBayes)
CRATON_INSTANTIATE(CategoricalNB)
#undef CRATON_INSTANTIATE

}  // namespace craton
