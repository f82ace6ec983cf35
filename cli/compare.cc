#include <fmt/core.h>

#include <algorithm>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/to_json.h"
#include "cli/validation.h"
#include "cli/values.h"
#include "cli/verbs.h"
#include "craton/core/error.h"
#include "craton/select/search.h"

// Several models on the same folds of the same rows, each with the columns that it takes.

namespace craton::cli {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& fix) {
  throw InputError(Code::kBadOption, {}, what, fix);
}

struct Entry {
  std::string name;  // as typed
  Trial trial;
};

// "nb" or "nb:alpha=0.1,fit_prior=false".
Entry entry_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  Entry entry{word, {&find_model(word.substr(0, colon)), {}}};
  if (colon == word.npos) return entry;
  for (const std::string& part : split(word.substr(colon + 1))) {
    Axis axis = parse_axis(*entry.trial.model, part);
    if (axis.values.size() != 1) refuse(fmt::format("'{}' has several values", part), "Give one.");
    entry.trial.options.emplace_back(axis.option, axis.values[0]);
  }
  return entry;
}

std::vector<Entry> entries_of(const Command& command) {
  std::vector<Entry> entries;
  for (const std::string& word : command.models) {
    entries.push_back(entry_of(word));
    const auto same = [&](const Entry& e) { return e.name == word; };
    if (std::count_if(entries.begin(), entries.end(), same) > 1) {
      refuse(fmt::format("'{}' is given twice", word), "Name each model once.");
    }
  }
  return entries;
}

// The data as each model reads them: the file is read once, and rows that one of them cannot take
// (--missing skip) are left out for all.
struct Tables {
  OpenedTable opened;
  std::vector<Data> of;
};

Tables read_tables(const Command& command, std::span<const Entry> entries, const Exec& exec) {
  Tables tables{open_to_fit(command, exec), {}};
  for (const Entry& entry : entries) {
    Command one = command;
    one.model = entry.trial.model->name;
    one.quiet = command.quiet || !tables.of.empty();  // its notes have been printed
    tables.of.push_back(read_to_fit(
        one, {tables.opened.source->reopen(), tables.opened.notes, tables.opened.guess}, exec));
  }
  const auto in_all = [&](Index row) {
    return std::all_of(tables.of.begin(), tables.of.end(), [&](const Data& data) {
      return !data.kept || data.kept->contains(row);
    });
  };
  const Index rows = tables.opened.source->shape().rows;
  const RowSet common = RowSet::where(rows, in_all);
  for (Data& data : tables.of) {
    if (common.size() == rows) continue;
    data.rows.reset();
    data.kept = std::make_unique<RowSet>(common);
    data.rows = std::make_unique<SelectedRows>(data.source(), *data.kept);
  }
  return tables;
}

SummaryTable table_of(std::span<const Entry> entries, const Tables& tables,
                      std::span<const Results> results, Index best,
                      std::span<const Metric* const> metrics) {
  SummaryTable table{"", {"model", "columns"}, {}};
  for (const Metric* metric : metrics) table.header.emplace_back(metric->name);
  table.header.push_back(fmt::format("{} less the best's", metrics[0]->name));
  for (Index i = 0; i < ssize(entries); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(entries[usize(i)].name);
    row.push_back(std::to_string(tables.of[usize(i)].schema().size()));
    for (Index m = 0; m < ssize(metrics); ++m) {
      row.push_back(shown(estimate(results[usize(i)], m)));
    }
    row.push_back(i == best ? "<- best"
                            : shown(difference(results[usize(i)], results[usize(best)], 0)));
  }
  return table;
}

Json to_json(std::span<const Entry> entries, std::span<const Results> results, Index best,
             std::span<const Metric* const> metrics) {
  Json::List list;
  for (Index i = 0; i < ssize(entries); ++i) {
    Json differences = Json::object({});
    for (Index m = 0; m < ssize(metrics); ++m) {
      const Estimate d = difference(results[usize(i)], results[usize(best)], m);
      differences.set(std::string(metrics[usize(m)]->name),
                      Json::object({{"mean", d.mean}, {"error", d.error}}));
    }
    Json options = Json::object({});
    for (const auto& [name, value] : entries[usize(i)].trial.options) {
      options.set(name, cli::to_json(value));
    }
    list.push_back(Json::object({{"model", entries[usize(i)].trial.model->name},
                                 {"options", options},
                                 {"metrics", cli::to_json(results[usize(i)], metrics)},
                                 {"less_best", differences},
                                 {"folds", folds_to_json(results[usize(i)], metrics)}}));
  }
  return Json(Json::Value(std::move(list)));
}

}  // namespace

int compare(const Command& command) {
  const std::vector<Entry> entries = entries_of(command);
  std::vector<const ModelInfo*> models;
  for (const Entry& entry : entries) models.push_back(entry.trial.model);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Tables tables = read_tables(command, entries, exec);
  const Data& data = tables.of[0];
  const std::vector<const Metric*> metrics =
      metrics_of(command, models, data.schema().target.has_value());
  const std::vector<Folds> splits = splits_of(command, data, exec);
  progress.start_passes(data.size());
  const Index folds = ssize(splits) * splits[0].size, all = folds * ssize(entries);
  std::vector<Results> results;
  for (const Data& table : tables.of) {
    const Entry& entry = entries[results.size()];
    const Index before = ssize(results) * folds;
    results.push_back(
        cross_validate(table.source(), splits, entry.trial, metrics, exec,
                       [&](Index fold) { progress.task(before + fold, all, entry.name); }));
  }
  progress.finish();
  warn_unconverged(results);
  const Index best = best_of(results, *metrics[0], 0);
  const std::string command_line = fit_command(command, entries[usize(best)].trial, metrics);
  if (command.json) {
    print_json(Json::object({{"validation", splits_to_json(command, data)},
                             {"models", to_json(entries, results, best, metrics)},
                             {"best", entries[usize(best)].name},
                             {"command", command_line}}));
    return kOk;
  }
  print(field("data", fmt::format("{}: {}", data.name(), plural(data.size(), "row"))) +
        field("folds", describe_splits(command, data)) + "\n" +
        format(table_of(entries, tables, results, best, metrics)) + "\n" +
        field("best", fmt::format("{} ({}: {})", entries[usize(best)].name, metrics[0]->name,
                                  better_way(*metrics[0]))) +
        field("to fit", command_line));
  return kOk;
}

}  // namespace craton::cli
