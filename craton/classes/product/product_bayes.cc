#include "craton/classes/product/product_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/classes/counts/feature_sums.h"
#include "craton/classes/product/product_em.h"
#include "craton/classes/product/product_leave_one_out.h"
#include "craton/density/density_passes.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

namespace craton {

template <ProductModel kModel>
template <class F>
auto ProductBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto checked = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    joint(chunk, out);
    check_joint(chunk, x, out);
  };
  if (!calibration_) return f(BayesRule(product_.class_log_prior(), checked));
  const auto scales = [&](const Chunk& chunk, std::span<double> out) {
    count_values(chunk, out);
    for (double& v : out) v = calibration_->calibration.of(v);
  };
  return f(BayesRule(product_.class_log_prior(), checked, Scales(scales)));
}

template <ProductModel kModel>
void ProductBayes<kModel>::predict(Source& x, std::span<std::int32_t> labels,
                                   const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

template <ProductModel kModel>
void ProductBayes<kModel>::predict_log_proba(Source& x, std::span<double> out,
                                             const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

template <ProductModel kModel>
void ProductBayes<kModel>::score_samples(Source& x, std::span<double> log_density,
                                         const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, log_density, exec); });
}

template <ProductModel kModel>
BayesRule::Score ProductBayes<kModel>::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

template <ProductModel kModel>
double ProductBayes<kModel>::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

template <ProductModel kModel>
std::vector<Measure> ProductBayes<kModel>::measures(Source& x, const Exec& exec) const {
  return measure(x, exec).measures();
}

template <ProductModel kModel>
Index ProductBayes<kModel>::free_parameters(const Options& options) const {
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return (prior ? classes() - 1 : 0) + product_.free_parameters();
}

template <ProductModel kModel>
std::vector<Parameter> ProductBayes<kModel>::parameters() const {
  std::vector<Parameter> result = product_.parameters();
  if (calibration_) append_calibration(*calibration_, result);
  return result;
}

template <ProductModel kModel>
ProductBayes<kModel> ProductBayes<kModel>::from_parameters(std::span<const Parameter> parameters) {
  ProductBayes model(ClassProduct::from_parameters(parameters));
  model.calibration_ = read_calibration(parameters);
  return model;
}

template <ProductModel kModel>
std::vector<SummaryTable> ProductBayes<kModel>::summary(const Schema& schema) const {
  std::vector<SummaryTable> tables = product_.summary(schema);
  if (calibration_) tables.push_back(calibration_table(*calibration_));
  return tables;
}

template class ProductBayes<ProductModel::kMixed>;
template class ProductBayes<ProductModel::kCategorical>;

// From the rows of each class to a model.

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

// Rows without a label (latent_class.h).

template <ProductModel kModel>
void ProductBayes<kModel>::learn_unlabelled(Source& x, const ClassStatistics& seen,
                                            const Options& options, const Exec& exec,
                                            Fit<ProductBayes>& fit) {
  const Latent latent{.unlabelled_weight = options.semi.unlabelled_weight};
  const ProductEstimator estimator(fit.model.features(),
                                   column_statistics(x, fit.model.features(), latent, exec),
                                   options.choice.smoothing, ClassWeights{options.prior}, &seen);
  EmOptions loop;
  loop.max_iter = options.semi.max_iter;
  loop.tol = options.semi.tol;
  ProductFit result = product_em(x, fit.model.product_, estimator, latent, loop, exec);
  std::vector<Note> notes = std::move(fit.report.notes);
  std::erase_if(notes, [](const Note& note) { return note.code == "unlabelled"; });
  notes.insert(notes.end(), result.report.notes.begin(), result.report.notes.end());
  fit = estimate(result.statistics, fit.model.features(), options, std::move(notes));
  fit.model.product_ = std::move(result.model);
  result.report.notes = std::move(fit.report.notes);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(seen.hash() + seen.unlabelled_hash());
}

template void NaiveBayes::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                           const Exec&, Fit<NaiveBayes>&);
template void CategoricalNB::learn_unlabelled(Source&, const ClassStatistics&, const Options&,
                                              const Exec&, Fit<CategoricalNB>&);

// A model goes on from the sums over its rows: bit by bit, with another, or without some of them.

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

// With p_j(x | theta) = exp(eta . T_j(x) - A(eta) + h_j(x)), the classes' h_j the same,
//
//   log p(c | x) = log p(c) + sum_j eta_cj . T_j(x_j) - A(eta_cj)   up to a term without c:
//
// linear in the statistics T of the row, whatever the families.

namespace {

// T of a family, "{}" for the value; of categories one that is 1 for each.
std::vector<std::string> statistics_of(const Feature& feature) {
  const std::string_view family = feature.family->name();
  if (feature.categories()) {
    std::vector<std::string> result;
    for (Index level = 0; level < feature.levels; ++level) {
      result.push_back(fmt::format("[{{}} {} {}]", feature.buckets ? "in bucket" : "=", level));
    }
    return result;
  }
  if (family == "gaussian") return {"{}", "{}^2"};
  if (family == "lognormal") return {"log {}", "(log {})^2"};
  if (family == "gamma") return {"log {}", "{}"};
  if (family == "beta") return {"log {}", "log(1 - {})"};
  if (family == "von-mises") return {"cos {}", "sin {}"};
  return {"{}"};
}

[[noreturn]] void fail(const std::string& why, const std::string& fix) {
  throw InputError(Code::kNotAble, {}, why + ", so there is no linear form", fix);
}

// Counts out of so many, or until so many: the same in all classes?
bool one_base(const Feature& feature, std::span<const Parameters* const> classes) {
  if (feature.categories() || feature.family->info().support != Support::kCounts) return true;
  return std::all_of(classes.begin(), classes.end(), [&](const Parameters* p) {
    return feature.family->sufficient(1, *p)->log_base ==
               feature.family->sufficient(1, *classes[0])->log_base &&
           feature.family->sufficient(2, *p)->log_base ==
               feature.family->sufficient(2, *classes[0])->log_base;
  });
}

}  // namespace

template <ProductModel kModel>
LinearForm ProductBayes<kModel>::linear_form() const {
  if (calibration_) fail("its probabilities are calibrated", "Fit with calibrate = none.");
  const std::size_t k = usize(classes());
  std::vector<std::vector<double>> by_term;  // of each class
  LinearForm form{{}, {{classes()}, product_.class_log_prior()}, {}};
  for (Index j = 0; j < columns(); ++j) {
    const Feature& feature = features()[usize(j)];
    std::vector<const Parameters*> parameters;
    std::vector<Natural> natural;
    for (Index c = 0; c < classes(); ++c) {
      parameters.push_back(&of(j, c));
      const std::optional<Natural> found = feature.family->natural(*parameters.back());
      if (!found) {
        fail(fmt::format("the {} of column {} is no exponential family", feature.name(), j + 1),
             "Name another family for it, such as --family gaussian.");
      }
      natural.push_back(*found);
      form.intercept.values[usize(c)] -= found->log_partition;
    }
    if (!one_base(feature, parameters)) {
      fail(fmt::format("the classes count column {} differently", j + 1),
           "Name another family for it, such as poisson.");
    }
    const std::vector<std::string> names = statistics_of(feature);
    for (std::size_t t = 0; t < names.size(); ++t) {
      std::vector<double> weights;
      for (const Natural& n : natural) weights.push_back(n.natural[t]);
      for (const double w : weights) {
        if (std::isfinite(w)) continue;
        fail(fmt::format("something in column {} is impossible", j + 1), "Give alpha above 0.");
      }
      const bool alike = std::equal(weights.begin() + 1, weights.end(), weights.begin());
      if (alike) continue;  // it says nothing
      by_term.push_back(std::move(weights));
      form.terms.push_back({j, names[t]});
    }
  }
  const Index terms = ssize(by_term);
  form.coef = {{classes(), terms}, std::vector<double>(k * usize(terms))};
  for (std::size_t at = 0; at < form.coef.values.size(); ++at) {
    form.coef.values[at] = by_term[at % usize(terms)][at / usize(terms)];
  }
  return form;
}

template LinearForm NaiveBayes::linear_form() const;
template LinearForm CategoricalNB::linear_form() const;

template ModelInfo registered<NaiveBayes>();
template ModelInfo registered<CategoricalNB>();

}  // namespace craton
