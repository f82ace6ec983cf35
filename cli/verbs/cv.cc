#include <fmt/core.h>

#include <algorithm>

#include "cli/parsing/fit_command.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/validation.h"
#include "cli/parsing/values.h"
#include "cli/showing/measured.h"
#include "cli/showing/output.h"
#include "cli/showing/predictions.h"
#include "cli/showing/progress.h"
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
                            command.output.empty() ? nullptr : &kept, shuffles_of(command)};
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
      const Index best = best_of(measured.results, metrics);
      if (best + 1 == ssize(measured.results)) std::swap(of_best, kept);
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
  measured.guessing = measure_guessing(data.source(), splits, {metrics, measuring.positive}, exec);
  measured.verdict = judge(measured.results, measured.guessing, metrics);
  return measured;
}

int run_cv(const Command& command) {
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
  const std::vector<Folds> splits =
      split_rows(data, roles_of(command), fold_plan_of(command), exec);
  progress.start_passes(data.size());
  Predictions predictions;
  const Measured measured =
      measure(command, std::move(entries), data, splits, metrics, predictions, progress);
  progress.finish();
  warn_unconverged(measured.results);
  if (!command.output.empty()) {
    Schema schema = data.schema();
    if (!learns_target(model, metrics)) schema.target.reset();
    write_predictions(command.output, data, schema, predictions, {.threads = command.threads});
  }

  const bool searched = !command.validation.grid.empty();
  const Entry& entry = measured.entries[usize(measured.verdict.best)];
  const Results& best = measured.results[usize(measured.verdict.best)];
  if (command.json) {
    Json json = Json::object({{"model", command.model},
                              {"validation", splits_to_json(command, data)},
                              {"guessing", guessing_to_json(data, {.threads = command.threads})},
                              {"best", to_json(measured, measured.verdict.best, metrics)},
                              {"command", fit_command(command, entry.trial, metrics)}});
    if (!command.output.empty()) json.set("output", command.output);
    if (searched) json.set("candidates", all_to_json(measured, metrics));
    add_verdict(measured, json);
    if (command.validation.importance) {
      json.set("importance", to_json(importance_table(best, data.schema(), *metrics[0])));
    }
    print_json(json);
    return kOk;
  }
  std::string text = worse_fields(measured, metrics) + field("data", describe(data)) +
                     field("model", model.help) + validation_fields(command, data) + "\n";
  if (searched) {
    text += laid_out(grid_table(measured, grid_options(command, model), metrics)) + "\n" +
            field("best",
                  fmt::format("{}: {} {}", entry.name, metrics[0]->name, shown(estimate(best, 0))));
  } else {
    text += laid_out(fold_table(best, splits[0].size, metrics)) + "\n" +
            laid_out(metric_table(best, metrics)) + "\n";
  }
  text += calibrate_fields(measured);
  if (command.validation.importance) {
    text += laid_out(importance_table(best, data.schema(), *metrics[0])) + "\n";
  }
  if (!command.output.empty()) text += field("rows", "held out: " + command.output);
  print(text + field("to fit", fit_command(command, entry.trial, metrics)));
  return kOk;
}

void add_cv_flags(Flags& flags) {
  Command& command = flags.command();
  Validation& validation = command.validation;
  command.measures = true;
  for (const Option& option : all_options(flags.model())) {
    if (option.name == "metric") continue;  // --grid takes it, --metric says what to measure
    flags.option(option);
  }
  flags.data();
  flags.fit_options();
  flags.validation();
  flags.importance();
  flags.repeated("--grid", validation.grid, "OPTION=VALUES",
                 "try these: alpha=0.1,1,10 or n_components=1..8; may be given again");
  flags.text("-o,--output", command.output, "FILE",
             "write what each row was given in the fold that held it out, as CSV");
  constexpr Index kMostDraws = 1000000;
  flags.whole(
      "--random", validation.draws, 1, kMostDraws,
      "draw N points of the grid, whose ranges may be alpha=0.01..10 or alpha=0.01..10:log");
  flags.after([&command, &validation] {
    if (validation.draws > 0 && validation.grid.empty()) {
      refuse("--random needs something to draw from",
             "Give ranges, such as --grid alpha=0.01..10:log.");
    }
    if (command.output == "-") {
      refuse("the predictions and the table cannot both go to stdout", "Give -o a file.");
    }
  });
}

}  // namespace

extern constinit const Verb kCv{
    .name = "cv",
    .help = "Measure a model on rows that it has not learned from, and search its options.",
    .example = "craton cv nb examples/data/birds.csv --target kind --metric accuracy,log-loss",
    .add = add_cv_flags,
    .run = run_cv,
    .takes = any_model,
};

}  // namespace craton::cli
