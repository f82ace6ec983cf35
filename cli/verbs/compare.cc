#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/parsing/fit_command.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/validation.h"
#include "cli/parsing/values.h"
#include "cli/showing/measured.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/tables/preparation.h"

// Several models on the same folds of the same rows, each with the columns that it takes.

namespace craton::cli {
namespace {

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
    tables.of.push_back(
        read_to_fit(one, {tables.opened.source->reopen(), tables.opened.notes, tables.opened.guess},
                    exec, fills(entry.trial.options)));
  }
  const Index rows = tables.opened.source->shape().rows;
  const RowSet common = RowSet::where(rows, [&](Index row) {
    return std::all_of(tables.of.begin(), tables.of.end(),
                       [&](const Data& data) { return !data.kept || data.kept->contains(row); });
  });
  for (Data& data : tables.of) {
    if (common.size() == rows) continue;
    data.view->rows(RowSet::where(data.size(), [&](Index row) {
      return common.contains(data.kept ? (*data.kept)[row] : row);
    }));
    data.kept = std::make_unique<RowSet>(common);
  }
  return tables;
}

// Models whose difference from the best may be chance.
std::vector<std::string> close_to_best(const Measured& measured) {
  std::vector<std::string> names;
  const Results& best = measured.results[usize(measured.best)];
  for (Index i = 0; i < ssize(measured.entries); ++i) {
    const Estimate less = difference(measured.results[usize(i)], best, 0);
    const bool close =
        std::abs(less.mean) <= 2 * less.error;  // not of one fold, whose error is NaN
    if (i != measured.best && close) names.push_back(measured.entries[usize(i)].name);
  }
  return names;
}

// What some leave out that others take.
void tell_left_out(const Tables& tables, std::span<const Entry> entries) {
  std::vector<std::string> all;
  for (const Data& data : tables.of) {
    for (const std::string& name : data.schema().names()) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::vector<std::string> left = all;
    std::erase_if(left, [&](const auto& name) { return tables.of[i].schema().find(name) >= 0; });
    if (left.empty()) continue;
    complain("note", fmt::format("{} takes {} only, and leaves out {}", entries[i].name,
                                 tables.of[i].schema().texts.empty() ? "numbers" : "the text",
                                 listed(left)));
  }
}

// The data file is the last word.
void part_models(Command& command) {
  constexpr const char* kExample = "For example: craton compare nb gaussian-nb data.csv --target y";
  if (command.models.size() < 2) refuse("craton compare needs models and a data file", kExample);
  command.data = std::move(command.models.back());
  command.models.pop_back();
  for (const ModelInfo& model : craton::models()) {
    if (command.data == model.name) {
      refuse("DATA is missing: the last word names a model", kExample);
    }
  }
}

int run_compare(const Command& command) {
  Measured measured{model_entries(command), {}};
  const std::vector<Entry>& entries = measured.entries;
  std::vector<const ModelInfo*> models;
  for (const Entry& entry : entries) models.push_back(entry.trial.model);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Tables tables = read_tables(command, entries, exec);
  const Data& data = tables.of[0];
  if (!command.quiet) tell_left_out(tables, entries);
  const std::vector<const Metric*> metrics =
      choose_metrics(command.validation.metrics, models, data.schema().target.has_value());
  const std::vector<Folds> splits = splits_of(command, data, exec);
  const Measuring measuring{metrics, positive_of(command, data)};
  progress.start_passes(data.size());
  const Index folds = ssize(splits) * splits[0].size;
  std::vector<Index> columns;
  for (Index i = 0; i < ssize(entries); ++i) {
    const Entry& entry = entries[usize(i)];
    const auto next = [&](Index fold) {
      progress.task(i * folds + fold, ssize(entries) * folds, entry.name);
    };
    Source& rows = tables.of[usize(i)].source();
    columns.push_back(rows.shape().cols + ssize(rows.schema().texts));
    measured.results.push_back(cross_validate(rows, splits, entry.trial, measuring, exec, next));
  }
  progress.finish();
  warn_unconverged(measured.results);
  measured.best = best_of(measured.results, *metrics[0], 0);
  const Entry& best = entries[usize(measured.best)];
  const std::string to_fit = fit_command(command, best.trial, metrics);
  if (command.json) {
    print_json(Json::object({{"validation", splits_to_json(command, data)},
                             {"models", all_to_json(measured, metrics)},
                             {"guessing", guessing_to_json(data, {.threads = command.threads})},
                             {"best", best.name},
                             {"command", to_fit}}));
    return kOk;
  }
  const std::vector<std::string> close = close_to_best(measured);
  print(field("data", fmt::format("{}: {}", data.name(), plural(data.size(), "row"))) +
        validation_fields(command, data) + "\n" +
        laid_out(model_table(measured, columns, metrics)) + "\n" +
        field("best",
              fmt::format("{} ({}: {})", best.name, metrics[0]->name, better_way(*metrics[0]))) +
        (close.empty()
             ? ""
             : field("close", fmt::format("{}: less than two errors from the best, so the "
                                          "difference may be chance",
                                          listed(close)))) +
        field("to fit", to_fit));
  return kOk;
}

void add_compare_flags(Flags& flags) {
  Command& command = flags.command();
  command.measures = true;
  flags.words("MODEL... DATA", command.models,
              "models, or models with options, nb:var_smoothing=1; then the data file");
  PreparationOptions shared;
  for (const Option& option : list_options([&](OptionVisitor& v) { describe(v, shared); })) {
    flags.option(option);
  }
  flags.fit_options();
  flags.validation();
  flags.after([&command] { part_models(command); });
}

}  // namespace

extern constinit const Verb kCompare{
    .name = "compare",
    .help = "Measure several models on the same held-out rows.",
    .example = "craton compare nb generative examples/data/birds.csv --target kind",
    .add = add_compare_flags,
    .run = run_compare,
    .first_words = model_names,
};

}  // namespace craton::cli
