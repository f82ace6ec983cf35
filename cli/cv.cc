#include <fmt/core.h>

#include <algorithm>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/to_json.h"
#include "cli/validation.h"
#include "cli/verbs.h"
#include "craton/core/error.h"
#include "craton/select/search.h"

// One model, with the options typed, or with each point of --grid.

namespace craton::cli {
namespace {

std::vector<Trial> trials_of(const Command& command, const ModelInfo& info) {
  const std::vector<NamedOption> typed = read_options(info, command);
  info.check(typed);
  const Validation& v = command.validation;
  std::vector<Axis> axes;
  for (const std::string& text : v.grid) axes.push_back(parse_axis(info, text));
  for (const Axis& axis : axes) {
    const bool twice = std::any_of(typed.begin(), typed.end(), [&](const NamedOption& o) {
      return o.first == axis.option;
    });
    if (!twice) continue;
    throw InputError(Code::kBadOption, {},
                     fmt::format("{} is in --grid and given beside it", axis.option),
                     "Leave one of them out.");
  }
  std::vector<Trial> trials;
  for (std::vector<NamedOption>& point :
       v.draws > 0 ? random_search(axes, v.draws, seed_of(command)) : grid(axes)) {
    Trial& trial = trials.emplace_back(Trial{&info, typed});
    trial.options.insert(trial.options.end(), point.begin(), point.end());
  }
  return trials;
}

// The options that --grid varies, which come last.
std::span<const NamedOption> point_of(const Trial& trial, const Command& command) {
  return std::span(trial.options).last(command.validation.grid.size());
}

std::string word_of(const OptionValue& value) {
  if (const double* number = std::get_if<double>(&value)) return shown(*number);
  std::string text = to_text(value);
  std::erase(text, '\'');
  return text;
}

std::string name_of(const Trial& trial, const Command& command) {
  std::string text;
  for (const auto& [name, value] : point_of(trial, command)) {
    text += (text.empty() ? "" : ", ") + name + " = " + word_of(value);
  }
  return text.empty() ? std::string(trial.model->name) : text;
}

struct Search {
  std::vector<Trial> trials;     // those that the rows allow
  std::vector<Results> results;  // of each
  Index best = 0;
};

Search run(const Command& command, std::vector<Trial> trials, const Data& data,
           std::span<const Folds> splits, std::span<const Metric* const> metrics,
           ConsoleProgress& progress) {
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Index folds = ssize(splits) * splits[0].size, all = folds * ssize(trials);
  Search search;
  std::vector<std::string> impossible;
  for (Index t = 0; t < ssize(trials); ++t) {
    Trial& trial = trials[usize(t)];
    const auto next = [&](Index fold) {
      progress.task(t * folds + fold, all, name_of(trial, command));
    };
    try {
      search.results.push_back(cross_validate(data.source(), splits, trial, metrics, exec, next));
      search.trials.push_back(std::move(trial));
    } catch (const InputError& error) {
      const bool last = t + 1 == ssize(trials) && search.results.empty();
      if (error.code() != Code::kTooFewRows || command.validation.grid.empty() || last) throw;
      impossible.push_back(name_of(trial, command));
    }
  }
  search.best = best_of(search.results, *metrics[0], 0);
  if (!impossible.empty() && !command.quiet) {
    progress.hide();
    complain("note", fmt::format("there are too few rows in a fold for {} of {} points ({})",
                                 impossible.size(), trials.size(), listed(impossible)));
  }
  return search;
}

SummaryTable fold_table(const Results& results, Index folds,
                        std::span<const Metric* const> metrics) {
  SummaryTable table{"", {"fold", "learned", "held out"}, {}};
  for (const Metric* metric : metrics) table.header.emplace_back(metric->name);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const FoldResult& fold = results[i];
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {std::to_string(static_cast<Index>(i) % folds + 1), std::to_string(fold.train_rows),
           std::to_string(fold.test_rows)};
    for (const double value : fold.values) row.push_back(shown(value));
  }
  return table;
}

SummaryTable metric_table(const Results& results, std::span<const Metric* const> metrics) {
  SummaryTable table{"", {"metric", "mean ± error", ""}, {}};
  for (Index m = 0; m < ssize(metrics); ++m) {
    const Metric& metric = *metrics[usize(m)];
    table.rows.push_back({std::string(metric.name), shown(estimate(results, m)),
                          fmt::format("{}; {}", metric.help, better_way(metric))});
  }
  return table;
}

SummaryTable search_table(const Search& search, const Command& command,
                          std::span<const Metric* const> metrics) {
  SummaryTable table;
  for (const auto& option : point_of(search.trials[0], command)) {
    table.header.push_back(option.first);
  }
  for (const Metric* metric : metrics) table.header.emplace_back(metric->name);
  table.header.emplace_back("");
  for (Index t = 0; t < ssize(search.trials); ++t) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const auto& option : point_of(search.trials[usize(t)], command)) {
      row.push_back(word_of(option.second));
    }
    for (Index m = 0; m < ssize(metrics); ++m) {
      row.push_back(shown(estimate(search.results[usize(t)], m)));
    }
    row.emplace_back(t == search.best ? "<- best" : "");
  }
  return table;
}

Json options_to_json(std::span<const NamedOption> options) {
  Json json = Json::object({});
  for (const auto& [name, value] : options) json.set(name, to_json(value));
  return json;
}

void tell_json(const Search& search, const Command& command, const Data& data,
               std::span<const Metric* const> metrics) {
  const auto one = [&](Index t) {
    const Results& results = search.results[usize(t)];
    return Json::object({{"options", options_to_json(search.trials[usize(t)].options)},
                         {"metrics", to_json(results, metrics)},
                         {"folds", folds_to_json(results, metrics)}});
  };
  Json json = Json::object({{"model", command.model},
                            {"validation", splits_to_json(command, data)},
                            {"best", one(search.best)},
                            {"command", fit_command(command, search.trials[usize(search.best)], metrics)}});
  if (!command.validation.grid.empty()) {
    Json::List candidates;
    for (Index t = 0; t < ssize(search.trials); ++t) candidates.push_back(one(t));
    json.set("candidates", Json(Json::Value(std::move(candidates))));
  }
  print_json(json);
}

}  // namespace

int cv(const Command& command) {
  const ModelInfo& info = find_model(command.model);
  std::vector<Trial> trials = trials_of(command, info);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_to_fit(command, exec);
  const ModelInfo* const models[] = {&info};
  const std::vector<const Metric*> metrics =
      metrics_of(command, models, data.schema().target.has_value());
  const std::vector<Folds> splits = splits_of(command, data, exec);
  progress.start_passes(data.size());
  const Search search = run(command, std::move(trials), data, splits, metrics, progress);
  progress.finish();
  warn_unconverged(search.results);
  if (command.json) {
    tell_json(search, command, data, metrics);
    return kOk;
  }
  const Results& best = search.results[usize(search.best)];
  const bool searched = !command.validation.grid.empty();
  const std::string table = searched
                                ? format(search_table(search, command, metrics))
                                : format(fold_table(best, splits[0].size, metrics)) + "\n" +
                                      format(metric_table(best, metrics));
  const Trial& trial = search.trials[usize(search.best)];
  print(field("data", describe(data)) + field("model", info.help) +
        field("folds", describe_splits(command, data)) + "\n" + table + "\n" +
        (searched ? field("best", fmt::format("{}: {} {}", name_of(trial, command),
                                              metrics[0]->name, shown(estimate(best, 0))))
                  : "") +
        field("to fit", fit_command(command, trial, metrics)));
  return kOk;
}

}  // namespace craton::cli
