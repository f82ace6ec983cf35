#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "craton/draw/curve.h"
#include "craton/report/choice.h"
#include "craton/select/cross_validation.h"
#include "craton/select/model_choice.h"
#include "craton/select/search.h"
#include "craton/select/verdict.h"
#include "python/metrics.h"
#include "python/progress.h"
#include "python/tables.h"
#include "python/values.h"

// What craton.select is made of: parts of rows, models measured on them, points of a search.

namespace craton {

using SplitArgument = std::tuple<Ints, Index, bool>;  // part of each row, how many, ordered?

inline nb::object parts_of(const Folds& folds) {
  return to_numpy(folds.part, {std::ssize(folds.part)});
}

inline std::vector<Folds> folds_of(const std::vector<SplitArgument>& splits, Index rows) {
  std::vector<Folds> result;
  for (const auto& [part, size, ordered] : splits) {
    if (static_cast<Index>(part.size()) != rows) throw nb::value_error("one part for each row");
    result.push_back({size, {part.data(), part.data() + part.size()}, ordered});
  }
  return result;
}

inline std::vector<const Metric*> metrics_by_name(const std::vector<std::string>& names) {
  std::vector<const Metric*> result;
  for (const std::string& name : names) result.push_back(&find_metric(name));
  return result;
}

inline nb::dict to_python(const Results& results, Index metrics) {
  std::vector<double> values;
  std::vector<Index> train, test;
  std::vector<std::uint8_t> converged;
  for (const FoldResult& fold : results) {
    values.insert(values.end(), fold.values.begin(), fold.values.end());
    train.push_back(fold.train_rows);
    test.push_back(fold.test_rows);
    converged.push_back(fold.converged ? 1 : 0);
  }
  const Index folds = std::ssize(results);
  nb::dict result;
  result["values"] = to_numpy(std::move(values), {folds, metrics});
  result["train_rows"] = to_numpy(std::move(train), {folds});
  result["test_rows"] = to_numpy(std::move(test), {folds});
  result["converged"] = to_numpy(std::move(converged), {folds});
  return result;
}

inline nb::dict cross_validate_rows(std::string_view name, const nb::object& table,
                                    const nb::dict& options, const Weights& weights,
                                    const Names& names, int n_jobs, const Codes& labels,
                                    const Target& target, const Levels& levels,
                                    const std::vector<SplitArgument>& splits,
                                    const std::vector<std::string>& metric_names,
                                    const std::optional<std::string>& positive, bool keep,
                                    const Targets& numbers, const std::optional<Index>& shuffles) {
  const ModelInfo& model = find_model(name);
  const Trial trial{&model, to_options(options)};
  const Rows x(table);
  MemorySource source =
      source_of(x, weights, schema_to_fit(model, x, names, levels, target), labels, numbers);
  const std::vector<Folds> folds = folds_of(splits, x.size());
  const std::vector<const Metric*> metrics = metrics_by_name(metric_names);
  Predictions kept;
  Measuring measuring{metrics, HeldOut::kUsual, keep ? &kept : nullptr};
  if (positive) measuring.positive = find_positive(source.schema(), *positive);
  if (shuffles) measuring.shuffles = Shuffles{*shuffles, 0};
  Results results, guessing;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    results = cross_validate(source, folds, trial, measuring, exec, [](Index) {});
    guessing = measure_guessing(source, folds, {metrics, measuring.positive}, exec);
  });
  nb::dict result = to_python(results, std::ssize(metrics));
  result["guessing"] =
      guessing.empty() ? nb::none() : to_python(guessing, std::ssize(metrics))["values"];
  if (shuffles) {
    nb::list mean, error;
    for (Index j = 0; j < ssize(results[0].importance); ++j) {
      const Estimate e = importance(results, j);
      mean.append(e.mean);
      error.append(e.error);
    }
    result["importance"] = nb::make_tuple(columns_of_importance(source.schema()), mean, error);
  }
  if (!keep) return result;
  result["fold"] = to_numpy(std::move(kept.fold), {x.size()});
  result["labels"] = to_numpy(std::move(kept.labels), {x.size()});
  result["proba"] = kept.proba.empty() ? nb::none() : to_python(kept.proba);
  result["numbers"] = kept.numbers.empty() ? nb::none() : to_numpy(kept.numbers, {x.size()});
  result["learned_labels"] = learns_target(model, metrics) && target.has_value();
  return result;
}

// (name, help, whether higher is better) of each.
inline std::vector<std::tuple<std::string, std::string, bool>> choose_by_name(
    const std::vector<std::string>& names, const std::vector<std::string>& model_names,
    bool labelled) {
  std::vector<const ModelInfo*> models;
  for (const std::string& name : model_names) models.push_back(&find_model(name));
  std::vector<std::tuple<std::string, std::string, bool>> result;
  for (const Metric* metric : choose_metrics(names, models, labelled)) {
    result.emplace_back(metric->name, metric->help, metric->higher_is_better);
  }
  return result;
}

inline nb::tuple estimate_of_values(const Doubles& values, const Vector<Index>& train,
                                    const Vector<Index>& test) {
  Results results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    results.push_back({train.data()[i], test.data()[i], true, {values.data()[i]}});
  }
  const Estimate e = estimate(results, 0);
  return nb::make_tuple(e.mean, e.error);
}

// (names of columns, the metric of the rows, what it loses by each shuffle of each column)
inline nb::tuple importance_of(const Fitted& m, const nb::object& table, const Weights& weights,
                               const Codes& labels, const Targets& numbers, int n_jobs,
                               const std::string& metric,
                               const std::optional<std::string>& positive, Index count,
                               std::uint64_t seed) {
  const Rows x(table);
  MemorySource source = source_of(x, weights, m.schema, labels, numbers);
  const std::int32_t label = positive ? find_positive(source.schema(), *positive) : HeldOut::kUsual;
  Importance found;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    found = find_importance(*m.model, source, find_metric(metric), label, {count, seed}, exec);
  });
  return nb::make_tuple(columns_of_importance(source.schema()), found.metric,
                        to_python(found.drops));
}

// (values of a fold after another, train_rows, test_rows) of each model; guessing: likewise.
using MeasuredFolds = std::tuple<Doubles, Vector<Index>, Vector<Index>>;

inline Results results_of(const MeasuredFolds& measured) {
  const auto& [values, train, test] = measured;
  const std::size_t folds = train.size(), metrics = folds == 0 ? 0 : values.size() / folds;
  Results results;
  for (std::size_t i = 0; i < folds; ++i) {
    const double* const own = values.data() + i * metrics;
    results.push_back({train.data()[i], test.data()[i], true, {own, own + metrics}});
  }
  return results;
}

// The best, those close to it, those no better than guessing, and those whose probabilities are
// not as good as their labels.
inline nb::tuple judge_results(const std::vector<MeasuredFolds>& measured,
                               const std::optional<MeasuredFolds>& guessing,
                               const std::vector<std::string>& names) {
  std::vector<Results> all;
  for (const MeasuredFolds& one : measured) all.push_back(results_of(one));
  const Verdict verdict =
      judge(all, guessing ? results_of(*guessing) : Results(), metrics_by_name(names));
  return nb::make_tuple(verdict.best, verdict.close, verdict.worse, verdict.misjudged);
}

// Points of a space: values of options, or text such as "0.01..10:log". draws: 0 for all points.
inline nb::list points_of(std::string_view name, const nb::dict& space, Index draws,
                          std::uint64_t seed) {
  const ModelInfo& model = find_model(name);
  std::vector<Axis> axes;
  for (const auto& [key, given] : space) {
    const auto option = nb::cast<std::string>(key);
    if (nb::isinstance<nb::str>(given)) {
      axes.push_back(parse_axis(model, option + "=" + nb::cast<std::string>(given)));
      continue;
    }
    std::vector<OptionValue> values;
    for (const nb::handle value : given) values.push_back(to_option(value));
    axes.push_back(make_axis(model, option, std::move(values)));
  }
  nb::list result;
  for (const std::vector<NamedOption>& point :
       draws > 0 ? random_search(axes, draws, seed) : grid(axes)) {
    nb::dict options;
    for (const auto& [option, value] : point) options[option.c_str()] = to_python(value);
    result.append(options);
  }
  return result;
}

// Why the best is the best, in Python's words.
inline std::string why(const ModelChoice& choice) {
  const Setting& best = choice.chosen().setting;
  const auto number = [](double v) { return std::to_string(static_cast<Index>(v)); };
  std::string text;
  for (const Reason& reason : choice.reasons) {
    text += (text.empty() ? "" : "; ") + reason.text;
    if (reason.advice == Reason::Advice::kTryMore) {
      text += ", " + std::string(best.swept) + "=range(" + number(best.value) + ", " +
              number(2 * best.value + 1) + ")";
    } else if (reason.advice == Reason::Advice::kMoreStarts) {
      text += ": n_init=20 tries more";
    } else if (reason.advice == Reason::Advice::kMeasureLabels) {
      text += ": cross_validate measures their labels";
    }
  }
  return text;
}

// (criterion, columns by name, place of the best, its name, why, what there are too few rows for, a
// table for people, a picture, the best model)
inline nb::dict to_python(ModelChoice& choice, const Source& x) {
  nb::dict result, columns;
  for (const ChoiceColumn& column : choice_columns(choice)) {
    nb::list values;
    for (const OptionValue& value : column.values) values.append(to_python(value));
    columns[column.name.c_str()] = values;
  }
  const SummaryTable table = choice_table(choice);
  result["criterion"] = choice.criterion.name;
  result["columns"] = columns;
  result["best"] = choice.best;
  result["name"] = choice.chosen().setting.name();
  result["why"] = why(choice);
  result["impossible"] = choice.impossible;
  result["table"] = nb::make_tuple(table.header, table.rows);
  result["picture"] = draw_curve(choice_curve(choice, x));
  result["model"] = nb::cast(std::move(choice.fits[usize(choice.best)].fitted));
  return result;
}

inline nb::dict choose_setting(std::string_view name, const nb::object& table,
                               const nb::dict& options, const Weights& weights, const Names& names,
                               int n_jobs, const Codes& labels, const Target& target,
                               const Levels& levels, const std::vector<double>& values,
                               const std::vector<std::string>& kinds,
                               const std::string& criterion) {
  const ModelInfo& model = find_model(name);
  const std::vector<Setting> settings = settings_of(model, {values, kinds, to_options(options)});
  const ChoiceCriterion& by = find_choice_criterion(model, criterion);
  const Rows x(table);
  MemorySource source =
      source_of(x, weights, schema_to_fit(model, x, names, levels, target), labels);
  std::optional<ModelChoice> choice;
  work(n_jobs, nb::none(), [&](const Exec& exec) {
    choice = choose_model(model, source, settings, by, exec, [](Index) {});
  });
  return to_python(*choice, source);
}

inline void bind_select(nb::module_& m) {
  // How: the number of folds, the seed, the repeat, and whether to shuffle.
  using How = std::tuple<Index, std::uint64_t, std::uint32_t, bool>;
  const auto options = [](const How& how) {
    const auto& [folds, seed, repeat, shuffle] = how;
    return SplitOptions{folds, seed, repeat, shuffle};
  };
  m.def("split_plain", [options](Index rows, const How& how) {
    return parts_of(split_plain(rows, options(how)));
  });
  m.def("split_stratified",
        [options](const Ints& labels, const std::vector<std::string>& names, const How& how) {
          return parts_of(split_stratified(span_of(labels), names, options(how)));
        });
  m.def("split_grouped", [options](const Doubles& groups, const How& how) {
    return parts_of(split_grouped(span_of(groups), options(how)));
  });
  m.def("split_stratified_groups",
        [options](const Ints& labels, const Doubles& groups, const How& how) {
          return parts_of(split_stratified_groups(span_of(labels), span_of(groups), options(how)));
        });
  m.def(
      "split_ordered",
      [](Index rows, const MaybeDoubles& times, Index folds, Index test_size, Index gap,
         Index max_train_size) {
        nb::list result;
        for (const Folds& split :
             split_ordered(rows, span_of(times), {folds, test_size, gap, max_train_size})) {
          result.append(nb::make_tuple(parts_of(split), split.size, split.ordered));
        }
        return result;
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  m.def("choose_metrics", &choose_by_name);
  m.def("estimate", &estimate_of_values);
  m.def("points", &points_of);
  m.def("judge", &judge_results, nb::arg(), nb::arg().none(), nb::arg());
  using namespace nb::literals;
  m.def("cross_validate", &cross_validate_rows, "name"_a, "x"_a, "options"_a, "weights"_a.none(),
        "names"_a.none(), "n_jobs"_a, "labels"_a.none(), "target"_a.none(), "levels"_a.none(),
        "splits"_a, "metrics"_a, "positive"_a.none(), "keep"_a, "numbers"_a.none() = nb::none(),
        "shuffles"_a.none() = nb::none());
  m.def("importance", &importance_of, "model"_a, "x"_a, "weights"_a.none(), "labels"_a.none(),
        "numbers"_a.none(), "n_jobs"_a, "metric"_a, "positive"_a.none(), "n_repeats"_a, "seed"_a);
  m.def("swept", [](std::string_view name) {  // the options that a sweep may be given values of
    const ModelInfo& model = find_model(name);
    check_can_sweep(model, "Choose among fits of components, such as GaussianMixture.");
    return nb::make_tuple(swept_option(model), kind_option(model));
  });
  m.def("parse_swept", [](std::string_view name, const std::string& text) {
    return parse_swept(find_model(name), text);
  });
  m.def("choose", &choose_setting, "name"_a, "x"_a, "options"_a, "weights"_a.none(),
        "names"_a.none(), "n_jobs"_a, "labels"_a.none(), "target"_a.none(), "levels"_a.none(),
        "values"_a, "kinds"_a, "criterion"_a);
  m.attr("sweep_starts") = kSweepStarts;
}

}  // namespace craton
