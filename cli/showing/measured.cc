#include "cli/showing/measured.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/showing/output.h"
#include "cli/showing/to_json.h"

namespace craton::cli {
namespace {

void add_estimates(const Results& results, Metrics metrics, std::vector<std::string>& row) {
  for (Index m = 0; m < ssize(metrics); ++m) row.push_back(shown(estimate(results, m)));
}

void add_names(Metrics metrics, std::vector<std::string>& header) {
  for (const Metric* metric : metrics) header.emplace_back(metric->name);
}

template <class F>
Json estimates(Metrics metrics, const F& of) {
  Json json = Json::object({});
  for (Index m = 0; m < ssize(metrics); ++m) {
    const Estimate e = of(m);
    json.set(std::string(metrics[usize(m)]->name),
             Json::object({{"mean", e.mean}, {"error", e.error}}));
  }
  return json;
}

Json fold_to_json(const FoldResult& fold, Metrics metrics) {
  Json json = Json::object({{"train_rows", fold.train_rows},
                            {"test_rows", fold.test_rows},
                            {"converged", fold.converged}});
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    json.set(std::string(metrics[m]->name), fold.values[m]);
  }
  return json;
}

}  // namespace

std::string shown(const Estimate& e) {
  if (std::isnan(e.error)) return shown(e.mean);
  // As many decimals as the error's second digit has: what comes after says nothing.
  const double size = e.error > 0 && std::isfinite(e.error) ? std::floor(std::log10(e.error)) : -3;
  const int decimals = std::clamp(1 - static_cast<int>(size), 0, 6);
  return fmt::format("{:.{}f} ± {:.{}f}", e.mean + 0.0, decimals, e.error, decimals);
}

std::string better_way(const Metric& metric) {
  return metric.higher_is_better ? "higher is better" : "lower is better";
}

SummaryTable fold_table(const Results& results, Index folds, Metrics metrics) {
  SummaryTable table{"", {"fold", "learned", "held out"}, {}};
  add_names(metrics, table.header);
  for (Index i = 0; i < ssize(results); ++i) {
    const FoldResult& fold = results[usize(i)];
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Index n : {i % folds + 1, fold.train_rows, fold.test_rows}) {
      row.push_back(std::to_string(n));
    }
    for (const double value : fold.values) row.push_back(shown(value));
  }
  return table;
}

SummaryTable metric_table(const Results& results, Metrics metrics) {
  SummaryTable table{"", {"metric", "mean ± error", ""}, {}};
  for (Index m = 0; m < ssize(metrics); ++m) {
    const Metric& metric = *metrics[usize(m)];
    table.rows.push_back({std::string(metric.name), shown(estimate(results, m)),
                          fmt::format("{}; {}", metric.help, better_way(metric))});
  }
  return table;
}

SummaryTable grid_table(const Measured& measured, const std::vector<std::string>& options,
                        Metrics metrics) {
  SummaryTable table{"", options, {}};
  add_names(metrics, table.header);
  table.header.emplace_back("");
  for (Index i = 0; i < ssize(measured.entries); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back(measured.entries[usize(i)].point);
    add_estimates(measured.results[usize(i)], metrics, row);
    row.emplace_back(i == measured.verdict.best ? "<- best" : "");
  }
  return table;
}

SummaryTable model_table(const Measured& measured, const std::vector<Index>& columns,
                         Metrics metrics) {
  SummaryTable table{"", {"model", "columns"}, {}};
  add_names(metrics, table.header);
  table.header.push_back(fmt::format("{} less the best's", metrics[0]->name));
  const Results& best = measured.results[usize(measured.verdict.best)];
  for (Index i = 0; i < ssize(measured.entries); ++i) {
    const Results& results = measured.results[usize(i)];
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(measured.entries[usize(i)].name);
    row.push_back(std::to_string(columns[usize(i)]));
    add_estimates(results, metrics, row);
    row.push_back(i == measured.verdict.best ? "<- best" : shown(difference(results, best, 0)));
  }
  return table;
}

std::string worse_fields(const Measured& measured, Metrics metrics) {
  std::string text;
  const Metric& metric = *metrics[0];
  for (const Index i : measured.verdict.worse) {
    text += field("worse", fmt::format("{}: {} {} is no better than guessing, {}",
                                       measured.entries[usize(i)].name, metric.name,
                                       shown(estimate(measured.results[usize(i)], 0)),
                                       shown(estimate(measured.guessing, 0))));
  }
  return text;
}

namespace {

// "--calibrate leave-one-out" of a model that can, and does not.
std::string way_to_calibrate(const Trial& trial) {
  for (const Option& option : trial.model->options()) {
    if (option.name != "calibrate") continue;
    const auto set = std::ranges::find(trial.options, option.name, &NamedOption::first);
    if (set != trial.options.end() && to_text(set->second) != to_text(option.value)) return "";
    return fmt::format("{} {}", flag_of(option.name), option.choices.back());
  }
  return "";
}

}  // namespace

std::string calibrate_fields(const Measured& measured) {
  std::string text;
  for (const Index i : measured.verdict.misjudged) {
    const Entry& entry = measured.entries[usize(i)];
    const std::string way = way_to_calibrate(entry.trial);
    text += field("calibrate",
                  fmt::format("{}: its probabilities are not as good as its labels{}", entry.name,
                              way.empty() ? "" : fmt::format("; {} may mend them", way)));
  }
  return text;
}

void add_verdict(const Measured& measured, Json& json) {
  const auto names = [&](const std::vector<Index>& places) {
    std::vector<std::string> result;
    for (const Index i : places) result.push_back(measured.entries[usize(i)].name);
    return result;
  };
  json.set("no_better_than_guessing", names(measured.verdict.worse));
  json.set("probabilities_worse_than_labels", names(measured.verdict.misjudged));
}

Json to_json(const Measured& measured, Index entry, Metrics metrics) {
  const Trial& trial = measured.entries[usize(entry)].trial;
  const Results& results = measured.results[usize(entry)];
  const Results& best = measured.results[usize(measured.verdict.best)];
  Json options = Json::object({});
  for (const auto& [name, value] : trial.options) options.set(name, to_json(value));
  Json::List folds;
  for (const FoldResult& fold : results) folds.push_back(fold_to_json(fold, metrics));
  return Json::object(
      {{"model", trial.model->name},
       {"options", options},
       {"metrics", estimates(metrics, [&](Index m) { return estimate(results, m); })},
       {"less_best", estimates(metrics, [&](Index m) { return difference(results, best, m); })},
       {"folds", Json(Json::Value(std::move(folds)))}});
}

Json all_to_json(const Measured& measured, Metrics metrics) {
  Json::List list;
  for (Index i = 0; i < ssize(measured.entries); ++i) list.push_back(to_json(measured, i, metrics));
  return Json(Json::Value(std::move(list)));
}

}  // namespace craton::cli
