#include "craton/classes/product/product_bayes.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/counts/count_likelihoods.h"
#include "craton/classes/product/product_em.h"
#include "craton/classes/product/product_leave_one_out.h"
#include "craton/density/density_passes.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// Three passes over the rows: the extent of each column, from which its family is chosen
// (feature_choice.h); the statistics of each column in each class, O(rows x columns); and the
// report's objective, O(rows x columns x classes) as every prediction. Statistics add up and can be
// taken back: learning on, unlearning and merging look at no row of before.

namespace craton {
namespace {

void check(ProductKind kind, ProductOptions options) {
  check_options([&](OptionVisitor& v) { describe(v, kind, options); });
}

// The least number of categories of each column.
std::vector<Index> least_categories(const ProductOptions& options, Index columns) {
  const Array& each = options.min_categories_each;
  if (each.empty()) return std::vector<Index>(usize(columns), options.min_categories);
  if (ssize(each.values) != columns) {
    throw InputError(
        Code::kBadOption, {},
        {"{} is not allowed", Ref::option("min_categories", to_text(OptionValue(each)))},
        fmt::format("Give a whole number, or one for each of the {} columns.", columns));
  }
  std::vector<Index> least;
  for (const double v : each.values) least.push_back(static_cast<Index>(v));
  return least;
}

// What is told of a few columns and classes is enough; and where a rule had the choice is for who
// looks at one column.
void shorten(std::vector<Note>& notes) {
  constexpr std::size_t kMost = 4;
  std::erase_if(notes, [](const Note& note) { return note.code == "bandwidth-optima"; });
  if (notes.size() <= kMost) return;
  const std::size_t more = notes.size() - kMost;
  notes.resize(kMost);
  notes.back().text = {"{} (and {} more such notes)", notes.back().text, more};
}

// EM would leave each row its own kernel alone.
void check_kernels(std::span<const Feature> features, const ProductOptions& options) {
  if (options.semi.unlabelled != Unlabelled::kEm) return;
  for (const Feature& f : features) {
    if (!f.family->info().keeps_values) continue;
    throw InputError(Code::kBadOption, {},
                     {"family: '{}' is not allowed with {}: a row without a label has no class "
                      "whose kernels it belongs to",
                      f.name(), Ref::option("unlabelled", "em")},
                     {"Give another family, or {}.", Ref::option("unlabelled", "skip")});
  }
}

void set_objective(FitReport& report, double objective) {
  report.objective = objective;
  report.trace = {objective};
}

}  // namespace

// From the rows of each class to a model.

Fit<ProductBayes> ProductBayes::fit(ProductKind kind, Source& x, const Options& options,
                                    const Exec& exec) {
  check(kind, options);
  const Index k = count_classes(x);
  check_any_row(x);
  const std::vector<Extent> extents = find_extents(x, exec);
  std::vector<Feature> features;
  if (kind == ProductKind::kMixed) {
    features = choose_features(x, extents, options.choice, exec);
  } else {
    features = categorical_features(x, extents, least_categories(options, x.shape().cols), exec);
  }
  check_kernels(features, options);
  const ClassStatistics seen = find_class_statistics(x, features, k, exec);
  std::vector<Note> notes;
  check_classes(x, seen.weight(), seen.unlabelled(), notes);
  Fit<ProductBayes> result =
      estimate(kind, seen, std::move(features), options, std::move(notes), x.schema());
  const bool em = options.semi.unlabelled == Unlabelled::kEm && seen.unlabelled() > 0;
  if (em) {
    learn_unlabelled(x, seen, options, exec, result);
  } else {
    set_objective(result.report, result.model.mean_joint(x, seen, options.choice.smoothing, exec));
  }
  if (options.calibrate == Calibrate::kLeaveOneOut) {
    calibrate(x, em ? result.model.remembered(result.memory.get(), {}) : seen, options, exec,
              result);
  }
  return result;
}

Fit<ProductBayes> ProductBayes::estimate(ProductKind kind, const ClassStatistics& seen,
                                         std::vector<Feature> features, const Options& options,
                                         std::vector<Note> notes, const Schema& schema) {
  const Index k = seen.classes();
  Array log_prior{{k}, log_class_prior(options.prior, seen.weight())};
  std::erase_if(notes, [](const Note& note) { return note.code.starts_with("bandwidth-"); });
  std::vector<Note> of_columns;
  std::vector<Parameters> parameters =
      estimate_features(features, seen, options.choice.smoothing, &of_columns, schema);
  shorten(of_columns);
  notes.insert(notes.end(), of_columns.begin(), of_columns.end());
  std::optional<Bag> bag;
  if (seen.terms() != nullptr) bag = Bag(seen.terms(), options.choice.smoothing.alpha);
  FitReport report;
  report.converged = true;
  report.notes = std::move(notes);
  report.data_hash = hash_text(seen.hash());
  const std::vector<double> values = seen.to_values();
  auto memory =
      Lazy<std::vector<Parameter>>::made_by([values, weight = seen.weight(), terms = seen.terms()] {
        const Index classes = ssize(weight);
        std::vector<Parameter> all{
            {"statistics", "of the columns over the rows of each class", {{ssize(values)}, values}},
            {"class_count", "weight of the rows of each class", {{classes}, weight}}};
        if (terms != nullptr) {
          all.push_back({"term_count",
                         "how often the texts of each class have each term",
                         {{classes, terms->columns}, terms->values()}});
        }
        return all;
      });
  return {ProductBayes(kind, ClassProduct(std::move(log_prior), std::move(features),
                                          std::move(parameters), std::move(bag))),
          std::move(report), std::move(memory)};
}

// What terms add is told by their sums; the columns have no such form.
double ProductBayes::mean_joint(Source& x, const ClassStatistics& seen, const Smoothing& smoothing,
                                const Exec& exec) const {
  if (!product_.bag()) return measure(x, exec).joint;
  double weight = 0, joint = 0;
  for (std::size_t c = 0; c < seen.weight().size(); ++c) {
    weight += seen.weight()[c];
    if (seen.weight()[c] > 0) joint += seen.weight()[c] * product_.class_log_prior()[c];
  }
  joint /= weight;
  if (columns() > 0) {
    const auto of_columns = [&](const Chunk& chunk, std::span<double> out) {
      product_.joint_of_columns(chunk, out);
      check_joint(chunk, x, out);
    };
    joint = BayesRule(product_.class_log_prior(), of_columns).score(x, exec).joint;
  }
  const PerFeature alpha(smoothing.alpha, product_.bag()->terms());
  return joint + multinomial_log_likelihood(*seen.terms(), alpha, exec) / weight;
}

// EM, where some rows have no label (latent_class.h).

void ProductBayes::learn_unlabelled(Source& x, const ClassStatistics& seen, const Options& options,
                                    const Exec& exec, Fit<ProductBayes>& fit) {
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
  fit = estimate(fit.model.kind(), result.statistics, fit.model.features(), options,
                 std::move(notes), x.schema());
  fit.model.product_ = std::move(result.model);
  result.report.notes = std::move(fit.report.notes);
  fit.report = std::move(result.report);
  fit.report.data_hash = hash_text(seen.hash() + seen.unlabelled_hash());
}

// Calibration, by rows left out (calibration.h).

void ProductBayes::calibrate(Source& x, const ClassStatistics& seen, const Options& options,
                             const Exec& exec, Fit<ProductBayes>& fit) {
  const ClassProduct& model = fit.model.product_;
  const ProductLeaveOneOut left_out(seen, model.scores(), model.bag(), options.choice.smoothing,
                                    options.prior);
  const CalibrationFit found = craton::calibrate(
      x, seen.classes(),
      [&](const Chunk& chunk, std::span<double> out) { left_out.find(chunk, out); },
      [&](const Chunk& chunk, std::span<double> out) { count_values(chunk, out); }, exec);
  note_left_out(found, fit.report.notes);
  fit.model.calibration_ = found;
}

// A model goes on from the statistics of its rows: with more rows, without some, or with those of
// another model.

Fit<ProductBayes> ProductBayes::partial_fit(FitOf<ProductBayes> so_far, Source& x,
                                            const Options& options, const Exec& exec) {
  check(so_far.model.kind(), options);
  check_learns_on(options.semi, options.calibrate);
  std::vector<Feature> features = so_far.model.features();
  check_features(x, features, exec);
  ClassStatistics seen = so_far.model.remembered(so_far.memory.get(), so_far.report);
  seen.widen(features);
  const ClassStatistics more = find_class_statistics(x, features, seen.classes(), exec);
  check_more_weight(x, more.weight());
  seen.add(more);
  Fit<ProductBayes> result = estimate(so_far.model.kind(), seen, std::move(features), options,
                                      so_far.report.notes, x.schema());
  set_objective(result.report, result.model.measure(x, exec).joint);
  return result;
}

Fit<ProductBayes> ProductBayes::unlearn(FitOf<ProductBayes> so_far, Source& x,
                                        const Options& options, const Exec& exec) {
  check(so_far.model.kind(), options);
  check_learns_on(options.semi, options.calibrate);
  const std::vector<Feature>& features = so_far.model.features();
  ClassStatistics seen = so_far.model.remembered(so_far.memory.get(), so_far.report);
  seen.subtract(find_class_statistics(x, features, seen.classes(), exec), x);
  Fit<ProductBayes> result =
      estimate(so_far.model.kind(), seen, features, options, so_far.report.notes, x.schema());
  set_objective(result.report, so_far.report.objective);
  return result;
}

Fit<ProductBayes> ProductBayes::merge(FitOf<ProductBayes> a, FitOf<ProductBayes> b,
                                      const Options& options) {
  check_learns_on(options.semi, options.calibrate);
  std::vector<Feature> features = a.model.features();
  for (std::size_t j = 0; j < features.size(); ++j) {
    Feature other = b.model.features()[j];
    // One of the two models may not have seen all codes, nor the ends of the range.
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
        {"Fit both with the same {}, or learn on from one of them.", Ref::flag("family")});
  }
  ClassStatistics seen = a.model.remembered(a.memory.get(), a.report);
  ClassStatistics more = b.model.remembered(b.memory.get(), b.report);
  seen.widen(features);
  more.widen(features);
  seen.add(more);
  Fit<ProductBayes> result = estimate(a.model.kind(), seen, std::move(features), options,
                                      a.report.notes, numbered_schema(a.model.columns()));
  set_objective(result.report, (a.report.objective + b.report.objective) / 2);
  return result;
}

Fit<ProductBayes> ProductBayes::with_columns(FitOf<ProductBayes> fit, std::span<const Index> places,
                                             Index terms, const Options& options) {
  ClassStatistics seen = fit.model.remembered(fit.memory.get(), fit.report);
  seen.move_terms(places, terms);
  Fit<ProductBayes> result = estimate(fit.model.kind(), seen, fit.model.features(), options,
                                      fit.report.notes, numbered_schema(fit.model.columns()));
  set_objective(result.report, fit.report.objective);
  return result;
}

ClassStatistics ProductBayes::remembered(std::span<const Parameter> memory,
                                         const FitReport& report) const {
  const Array& values = get_parameter(memory, "statistics", std::array<Index, 1>{-1});
  const Array& weight = get_parameter(memory, "class_count", std::array<Index, 1>{classes()});
  ClassStatistics seen = ClassStatistics::from_values(features(), classes(), weight.values,
                                                      values.values, hash_number(report.data_hash));
  if (const Index terms = inner_columns(); terms > 0) {
    const Array& sums = get_parameter(memory, "term_count", std::array<Index, 2>{classes(), terms});
    seen.set_terms(FeatureSums::remembered(sums, weight, 0).nonzero({.threads = 1}));
  }
  return seen;
}

void ProductBayes::check_memory(std::span<const Parameter> memory) const { remembered(memory, {}); }

// What a model says of rows.

template <class F>
auto ProductBayes::with_rule(Source& x, const F& f) const {
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

void ProductBayes::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void ProductBayes::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void ProductBayes::score_samples(Source& x, std::span<double> log_density, const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.score_samples(x, log_density, exec); });
}

BayesRule::Score ProductBayes::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

double ProductBayes::score(Source& x, const Exec& exec) const { return measure(x, exec).accuracy; }

std::vector<Measure> ProductBayes::measures(Source& x, const Exec& exec) const {
  return measure(x, exec).measures();
}

Index ProductBayes::free_parameters(const Options& options) const {
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return (prior ? classes() - 1 : 0) + product_.free_parameters();
}

// With p_j(x | theta) = exp(eta . T_j(x) - A(eta) + h_j(x)), the classes' h_j the same,
//
//   log p(c | x) = log p(c) + sum_j eta_cj . T_j(x_j) - A(eta_cj)   up to a term without c:
//
// linear in the statistics T of the row, whatever the families.

namespace {

// The terms T of a family, where "{}" stands for the value; of categories, one indicator each.
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

[[noreturn]] void fail(const Message& why, const Message& fix) {
  throw InputError(Code::kNotAble, {}, {"{}, so there is no linear form", why}, fix);
}

// Is h_j the same in all classes? That of counts out of n, or until r, depends on n and r.
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

LinearForm ProductBayes::linear_form() const {
  if (product_.bag()) fail("the words of its texts are no columns", "Fit it on columns alone.");
  if (calibration_)
    fail("its probabilities are calibrated", {"Fit with {}.", Ref::option("calibrate", "none")});
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
             {"Name another family for it, such as {}.",
              Ref::either("--family gaussian", "family='gaussian'")});
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
      if (alike) continue;  // the term is no reason to prefer a class
      by_term.push_back(std::move(weights));
      form.terms.push_back({{{j, names[t]}}});
    }
  }
  const Index terms = ssize(by_term);
  form.coef = {{classes(), terms}, std::vector<double>(k * usize(terms))};
  for (std::size_t at = 0; at < form.coef.values.size(); ++at) {
    form.coef.values[at] = by_term[at % usize(terms)][at / usize(terms)];
  }
  return form;
}

// Model files, tables for people, options.

void ProductBayes::visit_parameters(ParameterVisitor& v) const {
  product_.visit_parameters(v);
  if (calibration_) visit_calibration(v, *calibration_);
}

ProductBayes ProductBayes::from_parameters(ProductKind kind, const ParameterList& parameters) {
  ProductBayes model(kind, ClassProduct::from_parameters(parameters));
  model.calibration_ = read_calibration(parameters);
  return model;
}

std::vector<ResultTable> ProductBayes::tables(const Schema& schema) const {
  std::vector<ResultTable> tables = product_.tables(schema);
  if (calibration_) tables.push_back(calibration_table(*calibration_));
  return tables;
}

std::vector<ResultTable> ProductBayes::more_tables(const Schema& schema) const {
  return product_.more_tables(schema);
}

void describe(OptionVisitor& v, ProductKind kind, ProductOptions& o) {
  const bool mixed = kind == ProductKind::kMixed;
  Smoothing& smoothing = o.choice.smoothing;
  if (mixed) {
    v.text("family", o.choice.family,
           "what columns of numbers are: auto, a family, or buckets (equal-width, "
           "equal-frequency, mdl); or COLUMN=ONE,...");
    v.integer("n_buckets", o.choice.n_buckets, 1, kMostLevels,
              "number of buckets of equal width or frequency");
  }
  v.number("alpha", smoothing.alpha, 0, kInfinite,
           "rows of every category added to each class; 0: the shares of the rows");
  if (mixed) {
    v.number("prior_rows", smoothing.prior_rows, 0, kInfinite,
             "rows like the whole column added to each class, for families of numbers; where these "
             "have a spread of their own, times the share of the column's variance within classes");
    v.number("var_smoothing", smoothing.var_smoothing, 0, kInfinite,
             "least variance of a class, in units of its column's");
    describe(v, smoothing.bandwidth);
  } else {
    v.integer_or_array("min_categories", o.min_categories, o.min_categories_each, 0, kMostLevels,
                       "least number of categories of a column of codes, or an array with that of "
                       "each column");
  }
  describe(v, o.prior);
  describe(v, o.semi);
  v.choice("calibrate", o.calibrate, {"none", "leave-one-out"},
           "probabilities as they are, or made honest by rows left out");
}

const Usage NaiveBayes::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import NaiveBayes
>>> X = [["red", 1.0, 3], ["red", 1.2, 2], ["green", 3.1, 9], ["green", 2.8, None]]
>>> model = NaiveBayes(family={1: "gaussian", 2: "poisson"})
>>> model.fit(X, ["cherry", "cherry", "plum", "plum"]).families_
['categorical', 'gaussian', 'poisson']
>>> model.predict([["green", None, 8]]).tolist()
['plum']
)",
    .small = "family=gaussian; max_iter=12"};

const Usage CategoricalNB::kUsage{
    .example = "examples/data/letters.csv --target kind -o letters.craton",
    .python = R"(
>>> from craton import CategoricalNB
>>> X = [["red", "small"], ["red", "small"], ["green", "large"], ["blue", "large"]]
>>> model = CategoricalNB().fit(X, ["cherry", "cherry", "plum", "plum"])
>>> model.predict([["blue", "small"], ["white", "large"]]).tolist()
['cherry', 'plum']
)",
    .small = "max_iter=12",
    .sklearn = "naive_bayes.CategoricalNB"};

template ModelInfo registered<NaiveBayes>();
template ModelInfo registered<CategoricalNB>();

}  // namespace craton
