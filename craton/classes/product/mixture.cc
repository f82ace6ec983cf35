#include "craton/classes/product/mixture.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/classes/bayes_rule.h"
#include "craton/classes/product/mixture_rows.h"
#include "craton/classes/product/mixture_start.h"
#include "craton/density/density_passes.h"
#include "craton/engine/agree.h"
#include "craton/kernels/special.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// In closed form when every row has a label, else by EM (product_em.h), from the labels or from
// groups of rows (mixture_start.h). A pass of EM takes O(rows x columns x components).

namespace craton {

void describe(OptionVisitor& v, Mixture::Options& o) {
  constexpr Index kMost = Index{1} << 24;
  v.integer("n_components", o.n_components, 1, kMost,
            "number of components; where rows have labels there is one for each label");
  v.text("family", o.choice.family,
         "what columns of numbers are: auto, a family, or buckets (equal-width, "
         "equal-frequency); or COLUMN=ONE,...");
  v.integer("n_buckets", o.choice.n_buckets, 1, kMostLevels,
            "number of buckets of equal width or frequency");
  v.number("alpha", o.choice.smoothing.alpha, 0, kInfinite,
           "rows of every category added to each component; 0: the shares of the rows");
  v.number("prior_rows", o.choice.smoothing.prior_rows, 0, kInfinite,
           "rows like the whole column added to each component, for families of numbers");
  v.number("var_smoothing", o.choice.smoothing.var_smoothing, 0, kInfinite,
           "least variance of a component, in units of its column's");
  v.number("weight_concentration", o.weight_concentration, 1, kInfinite,
           "of the Dirichlet prior of the weights; 1: the shares of the rows");
  v.choice("assignment", o.latent.assignment, {"soft", "hard"},
           "rows belong to all components by their posterior, or to the best one alone; then the "
           "objective is the likelihood of rows and components together");
  v.number("unlabelled_weight", o.latent.unlabelled_weight, 0, kInfinite,
           "weight of a row without a label, where others have one");
  v.choice("init_params", o.init_params, {"kmeans", "k-means++", "random_from_data", "random"},
           "where to start: the best of a few short runs from k-means; k-means++ rows; random "
           "rows; or random shares of every row");
  v.integer("n_init", o.n_init, 1, kMost, "number of starts; the best result is kept");
  v.integer("max_iter", o.max_iter, 0, kMost, "updates of the model, at most");
  v.number("tol", o.tol, 0, kInfinite, "stop when a pass gains at most this mean log-likelihood");
  v.integer("random_state", o.random_state, 0, std::numeric_limits<Index>::max(),
            "seed of the starts");
}

namespace {

using Options = Mixture::Options;

// Rows of the sample that starts are found in: at least, and for each component and column.
constexpr Index kRows = 8192, kRowsShare = 16;

// The features of columns before a family is chosen: categories, and Gaussian numbers.
std::vector<Feature> plain_features(const Schema& schema, Index columns) {
  std::vector<Feature> features;
  for (Index j = 0; j < columns; ++j) {
    const Column column = schema.column(j);
    const bool category = column.kind == ColumnKind::kCategory;
    features.push_back({.column = j,
                        .family = &get_family(category ? "categorical" : "gaussian"),
                        .levels = category ? std::max<Index>(1, ssize(column.levels)) : 0});
  }
  return features;
}

EmOptions em_options(const Options& options) {
  EmOptions loop;
  loop.max_iter = options.max_iter;
  loop.tol = options.tol;
  return loop;
}

ProductEstimator estimator_for(Source& x, const std::vector<Feature>& features,
                               const Options& options, const Exec& exec,
                               const ClassStatistics* labelled = nullptr) {
  return ProductEstimator(features, column_statistics(x, features, options.latent, exec),
                          options.choice.smoothing, {{}, options.weight_concentration}, labelled);
}

// EM from each of n_init starts; keeps the best fit.
ProductFit fit_best(Source& x, const MixtureStarts& starts, const std::vector<Feature>& features,
                    const Options& options, const Exec& exec) {
  std::optional<ProductFit> best;
  const ProductEstimator estimator = estimator_for(x, features, options, exec);
  std::vector<std::vector<double>> traces;
  std::vector<double> found;
  for (Index trial = 0; trial < options.n_init; ++trial) {
    if (exec.progress != nullptr && options.n_init > 1) exec.progress->start(trial, options.n_init);
    ClassProduct start = starts.choose(features, trial);
    ProductFit fit =
        product_em(x, std::move(start), estimator, options.latent, em_options(options), exec);
    traces.push_back(fit.report.trace);
    found.push_back(fit.report.objective);
    if (!best || fit.report.objective > best->report.objective) best = std::move(fit);
  }
  if (options.n_init > 1) {
    best->report.start_traces = std::move(traces);
    note_optima(found, best->report.objective, best->report.notes);
  }
  return *std::move(best);
}

Fit<Mixture> finished(ProductFit fit, bool labelled, const RowsSeen& seen,
                      std::vector<Note> notes) {
  notes.insert(notes.end(), fit.report.notes.begin(), fit.report.notes.end());
  fit.report.notes = std::move(notes);
  fit.report.data_hash = hash_text(seen.hash);
  return {Mixture(std::move(fit.model), labelled), std::move(fit.report)};
}

// Families that keep the ends of the values must see all of them.
Index sample_size(const std::vector<Feature>& features, const Options& options, Index rows) {
  const bool ranges = std::ranges::any_of(features, [](const Feature& f) {
    return std::holds_alternative<Range>(f.family->empty(f.levels));
  });
  return ranges ? rows : std::max(kRows, kRowsShare * options.n_components * ssize(features));
}

Fit<Mixture> fit_hidden(Source& x, Options options, const RowsSeen& seen, const Exec& exec) {
  check_size(x, seen, options.n_components);
  options.latent.labels = false;
  options.latent.unlabelled_weight = 1;
  options.choice.by_labels = false;
  const std::vector<Extent> extents = find_extents(x, exec);
  std::vector<Feature> features = plain_features(x.schema(), x.shape().cols);
  LabelledSample sample = draw_by_values(x, sample_size(features, options, seen.rows), exec);
  {
    // Families are chosen by what they are within groups, not over all rows.
    LabelledSample grouped = sample;
    Options quick = options;
    quick.init_params = Mixture::Init::kKMeans;
    grouped.labels = MixtureStarts(sample, x.schema(), quick, exec).groups(features);
    features = choose_features(x, extents, options.choice, grouped, options.n_components, exec);
  }
  const Index size = sample_size(features, options, seen.rows);
  if (size > sample.rows() && size >= seen.rows) sample = draw_by_values(x, size, exec);
  const MixtureStarts starts(sample, x.schema(), options, exec);
  return finished(fit_best(x, starts, features, options, exec), false, seen, {});
}

Fit<Mixture> fit_labelled(Source& x, Options options, const RowsSeen& seen, const Exec& exec) {
  std::vector<Note> notes;
  options.n_components = check_labels(x, seen, options.n_components, notes);
  const std::vector<Feature> features =
      choose_features(x, find_extents(x, exec), options.choice, exec);
  const ClassStatistics of_labels = find_class_statistics(x, features, options.n_components, exec);
  const ClassWeights weights{{}, options.weight_concentration};
  std::optional<Bag> bag;
  if (of_labels.terms() != nullptr) bag = Bag(of_labels.terms(), options.choice.smoothing.alpha);
  ClassProduct start({{options.n_components}, weights.log_estimate(of_labels.weight())}, features,
                     estimate_features(features, of_labels, options.choice.smoothing),
                     std::move(bag));
  const ProductEstimator estimator = estimator_for(x, features, options, exec, &of_labels);
  const bool all = seen.labelled == seen.rows;  // nothing is hidden: these are the estimates
  if (all) options.max_iter = 0;
  ProductFit fit =
      product_em(x, std::move(start), estimator, options.latent, em_options(options), exec);
  fit.report.converged = fit.report.converged || all;
  return finished(std::move(fit), true, seen, std::move(notes));
}

// fit(rows), where rows that repeat are one, of more weight, if they are many.
template <class F>
Fit<Mixture> fit_distinct(Source& x, const Exec& exec, const F& fit) {
  if (const std::optional<LabelledSample> distinct = distinct_rows(x, exec)) {
    try {
      MemorySource rows = distinct->source(x.schema());
      return agree(exec, [&] { return fit(rows); });
    } catch (const InputError&) {  // of a row whose number must be known
    }
  }
  return fit(x);
}

Options checked(const Options& given) {
  Options options = given;
  check_options([&](OptionVisitor& v) { describe(v, options); });
  return options;
}

}  // namespace

Fit<Mixture> Mixture::fit(Source& x, const Options& given, const Exec& exec) {
  const Options options = checked(given);
  check_shared(options.choice.family, x.schema());
  const RowsSeen seen = check_rows(x, exec);
  return fit_distinct(x, exec, [&](Source& rows) {
    return seen.labelled > 0 ? fit_labelled(rows, options, seen, exec)
                             : fit_hidden(rows, options, seen, exec);
  });
}

Fit<Mixture> Mixture::fit_from(const Mixture& start, Source& x, const Options& given,
                               const Exec& exec) {
  Options options = checked(given);
  const RowsSeen seen = check_rows(x, exec);
  const bool labelled = seen.labelled > 0;
  options.latent.labels = labelled;
  if (!labelled) options.latent.unlabelled_weight = 1;
  const Index k = labelled ? ssize(seen.weight_of) : options.n_components;
  if (start.classes() != k) {
    throw InputError(
        Code::kBadOption, {},
        {"{}, but the model to go on from has {}", Ref::option("n_components", k), start.classes()},
        "Give the same number, or fit anew.");
  }
  std::vector<Feature> features = start.features();
  check_features(x, features, exec);
  return fit_distinct(x, exec, [&](Source& rows) {
    std::optional<ClassStatistics> of_labels;
    if (labelled) of_labels = find_class_statistics(rows, features, k, exec);
    const ProductEstimator estimator =
        estimator_for(rows, features, options, exec, labelled ? &*of_labels : nullptr);
    EmOptions how = em_options(options);
    how.monotone = false;  // a given start may be better than estimates, which have least spreads
    return finished(product_em(rows, start.product_, estimator, options.latent, how, exec),
                    labelled, seen, {});
  });
}

namespace {

// Calls f with Bayes' rule for new rows.
template <class F>
void with_rule(const ClassProduct& product, Source& x, const F& f) {
  check_columns(x, product.columns());
  const auto joint = [&](const Chunk& chunk, std::span<double> out) {
    check_not_infinite(chunk, x);
    product.joint(chunk, out);
    check_joint(chunk, x, out);
  };
  f(BayesRule(product.class_log_prior(), joint));
}

}  // namespace

void Mixture::predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

void Mixture::predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

void Mixture::score_samples(Source& x, std::span<double> log_density, const Exec& exec) const {
  with_rule(product_, x, [&](const BayesRule& rule) { rule.score_samples(x, log_density, exec); });
}

ProductRows Mixture::rows_of(Source& x, const Exec& exec) const {
  check_columns(x, columns());
  return fold(x, ProductRows(product_, {.labels = false}, 0), exec);
}

double Mixture::score(Source& x, const Exec& exec) const { return rows_of(x, exec).objective(); }

double Mixture::entropy(Source& x, const Exec& exec) const { return rows_of(x, exec).entropy(); }

Mixture Mixture::from_parameters(const ParameterList& parameters) {
  ClassProduct product = ClassProduct::from_parameters(parameters);
  if (!product.counts_parameters()) fail_parameters("a mixture has no kernels");
  return Mixture(std::move(product));
}

Index Mixture::free_parameters(const Options&) const {
  return classes() - 1 + product_.free_parameters();
}

std::vector<ResultTable> Mixture::tables(const Schema& schema) const {
  return product_.tables(schema, schema.target ? "class" : "component");
}

std::vector<ResultTable> Mixture::more_tables(const Schema& schema) const {
  return product_.more_tables(schema, schema.target ? "class" : "component");
}

const Usage Mixture::kUsage{
    .example = "examples/data/islands.csv --n-components 4 -o islands.craton",
    .python = R"(
>>> from craton import Mixture
>>> X = [["red", 1], ["red", 2], ["red", 0], ["blue", 14], ["blue", 18], ["blue", 15]]
>>> model = Mixture(n_components=2, family="poisson").fit(X)
>>> model.families_
['categorical', 'poisson']
>>> a, b = model.predict([["red", None], [None, 16]])
>>> bool(a == b)
False
)",
    .small = "n_components=3; family=gaussian; max_iter=12",
    .positional = 1};

template ModelInfo registered<Mixture>();

}  // namespace craton
