#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/classes/feature_sums.h"
#include "craton/classes/mixture_rows.h"
#include "craton/classes/mixture_start.h"
#include "craton/core/error.h"
#include "craton/density/density_passes.h"

// How a mixture is fitted: in closed form when every row has a label, else by EM, from the labels
// or from groups of rows.

namespace craton {
namespace {

using Options = Mixture::Options;

// Rows of the sample that starts are found in: at least, and for each component and column.
constexpr Index kRows = 8192, kRowsShare = 16;

// What the columns are before anybody has looked: categories, and numbers.
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

// From each of n_init; keeps the best.
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
  ClassProduct start({{options.n_components}, weights.log_estimate(of_labels.weight())}, features,
                     estimate_features(features, of_labels, options.choice.smoothing));
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
      return fit(rows);
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
        fmt::format("n_components = {}, but the model to go on from has {}", k, start.classes()),
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

}  // namespace craton
