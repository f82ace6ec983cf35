#include <fmt/core.h>

#include <algorithm>

#include "cli/measured.h"
#include "cli/output.h"
#include "cli/predictions.h"
#include "cli/progress.h"
#include "cli/validation.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/tables/preparation.h"

namespace craton::cli {
namespace {

// Points that the rows do not allow are left out, with a note; if they allow none, that is an
// error.
Measured measure(const Command& command, std::vector<Entry> entries, const Data& data,
                 std::span<const Folds> splits, Metrics metrics, Predictions& of_best,
                 ConsoleProgress& progress) {
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Index folds = ssize(splits) * splits[0].size, count = ssize(entries);
  Measured measured;
  Predictions kept;
  const Measuring measuring{metrics, positive_of(command, data),
                            command.output.empty() ? nullptr : &kept};
  std::vector<std::string> impossible;
  for (Index i = 0; i < count; ++i) {
    Entry& entry = entries[usize(i)];
    const auto next = [&](Index fold) {
      progress.task(i * folds + fold, count * folds, entry.name);
    };
    try {
      measured.results.push_back(
          cross_validate(data.source(), splits, entry.trial, measuring, exec, next));
      measured.entries.push_back(std::move(entry));
      measured.best = best_of(measured.results, *metrics[0], 0);
      if (measured.best + 1 == ssize(measured.results)) std::swap(of_best, kept);
    } catch (const InputError& error) {
      const bool last = i + 1 == count && measured.results.empty();
      if (error.code() != Code::kTooFewRows || command.validation.grid.empty() || last) throw;
      impossible.push_back(entry.name);
    }
  }
  if (!impossible.empty() && !command.quiet) {
    progress.hide();
    complain("note", fmt::format("there are too few rows in a fold for {} of {} points ({})",
                                 impossible.size(), count, listed(impossible)));
  }
  return measured;
}

}  // namespace

int cv(const Command& command) {
  check_writable(command.output);
  const ModelInfo& model = find_model(command.model);
  std::vector<Entry> entries = grid_entries(command, model);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const bool filled = std::all_of(entries.begin(), entries.end(),
                                  [](const Entry& e) { return fills(e.trial.options); });
  const Data data = read_to_fit(command, open_to_fit(command, exec), exec, filled);
  const ModelInfo* const models[] = {&model};
  const std::vector<const Metric*> metrics =
      choose_metrics(command.validation.metrics, models, data.schema().target.has_value());
  const std::vector<Folds> splits = splits_of(command, data, exec);
  progress.start_passes(data.size());
  Predictions predictions;
  const Measured measured =
      measure(command, std::move(entries), data, splits, metrics, predictions, progress);
  progress.finish();
  warn_unconverged(measured.results);
  if (!command.output.empty()) {
    Schema schema = data.schema();
    if (!learns_labels(model, metrics)) schema.target.reset();
    write_predictions(command.output, data, schema, predictions, {.threads = command.threads});
  }

  const bool searched = !command.validation.grid.empty();
  const Entry& entry = measured.entries[usize(measured.best)];
  const Results& best = measured.results[usize(measured.best)];
  if (command.json) {
    Json json = Json::object({{"model", command.model},
                              {"validation", splits_to_json(command, data)},
                              {"guessing", guessing_to_json(data, {.threads = command.threads})},
                              {"best", to_json(measured, measured.best, metrics)},
                              {"command", fit_command(command, entry.trial, metrics)}});
    if (!command.output.empty()) json.set("output", command.output);
    if (searched) json.set("candidates", all_to_json(measured, metrics));
    print_json(json);
    return kOk;
  }
  std::string text = field("data", describe(data)) + field("model", model.help) +
                     validation_fields(command, data) + "\n";
  if (searched) {
    text += format(grid_table(measured, grid_options(command, model), metrics)) + "\n" +
            field("best",
                  fmt::format("{}: {} {}", entry.name, metrics[0]->name, shown(estimate(best, 0))));
  } else {
    text += format(fold_table(best, splits[0].size, metrics)) + "\n" +
            format(metric_table(best, metrics)) + "\n";
  }
  if (!command.output.empty()) text += field("rows", "held out: " + command.output);
  print(text + field("to fit", fit_command(command, entry.trial, metrics)));
  return kOk;
}

}  // namespace craton::cli
