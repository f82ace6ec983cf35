#include <fmt/core.h>

#include "cli/parsing/fit_command.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/validation.h"
#include "cli/parsing/values.h"
#include "cli/showing/measured.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/showing/wording.h"
#include "cli/verbs.h"
#include "craton/select/comparison.h"
#include "craton/tables/preparation.h"

// Several models on the same folds of the same rows, each with the columns that it takes.

namespace craton::cli {
namespace {

// What some leave out that others take.
void tell_left_out(const Comparison& comparison) {
  for (const Compared& model : comparison.models) {
    if (model.left_out.empty()) continue;
    complain("note", fmt::format("{} takes {} only, and leaves out {}", model.name,
                                 model.texts ? "the text" : "numbers", listed(model.left_out)));
  }
}

// Models that could not be measured, each with the reason and what to do.
std::string failed_fields(const Command& command, const Comparison& comparison) {
  const ShellWording wording(command);
  std::string text;
  for (const NotCompared& model : comparison.failed) {
    text += field("cannot", fmt::format("{}: {}", model.name, model.why.complaint().in(wording)));
    const std::string fix = model.why.advice().in(wording);
    if (!fix.empty()) text += field("", fix);
  }
  return text;
}

Json failed_to_json(const Command& command, const Comparison& comparison) {
  const ShellWording wording(command);
  Json::List list;
  for (const NotCompared& model : comparison.failed) {
    list.push_back(Json::object({{"model", model.name},
                                 {"error", info(model.why.code()).id},
                                 {"why", model.why.complaint().in(wording)},
                                 {"fix", model.why.advice().in(wording)}}));
  }
  return Json(Json::Value(std::move(list)));
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

Measured measured_of(Comparison& comparison) {
  Measured measured{.guessing = comparison.guessing, .verdict = comparison.verdict};
  for (Compared& model : comparison.models) {
    measured.entries.push_back({model.name, model.trial});
    measured.results.push_back(model.results);
  }
  return measured;
}

std::string best_fields(const Measured& measured, const Metric& metric, const std::string& to_fit) {
  const Verdict& verdict = measured.verdict;
  const std::string& best = measured.entries[usize(verdict.best)].name;
  const std::string way = fmt::format("{}: {}", metric.name, better_way(metric));
  if (verdict.is_worse(verdict.best)) {
    return field("best",
                 fmt::format("none is better than guessing; {} comes nearest ({})", best, way));
  }
  std::vector<std::string> close;
  for (const Index i : verdict.close) close.push_back(measured.entries[usize(i)].name);
  return field("best", fmt::format("{} ({})", best, way)) +
         (close.empty()
              ? ""
              : field("close", fmt::format("{}: less than two errors from the best, so the "
                                           "difference may be chance",
                                           listed(close)))) +
         field("to fit", to_fit);
}

int run_compare(const Command& command) {
  std::vector<Contestant> contestants = contestants_of(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const OpenedTable opened = open_to_fit(command, exec);
  progress.start_passes(opened.source->shape().rows);
  Comparison comparison = compare_models(
      opened, roles_of(command), std::move(contestants),
      {command.validation.metrics, fold_plan_of(command), command.positive}, exec,
      PrintNotes(command, opened.source->name()),
      [&](Index done, Index all, const std::string& name) { progress.task(done, all, name); });
  progress.finish();
  if (!command.quiet) tell_left_out(comparison);
  const Measured measured = measured_of(comparison);
  const Data& data = comparison.data;
  const std::vector<const Metric*>& metrics = comparison.metrics;
  warn_unconverged(measured.results);
  const Entry& best = measured.entries[usize(measured.verdict.best)];
  const std::string to_fit = fit_command(command, best.trial, metrics);
  if (command.json) {
    Json json = Json::object({{"validation", splits_to_json(command, data)},
                              {"models", all_to_json(measured, metrics)},
                              {"failed", failed_to_json(command, comparison)},
                              {"guessing", guessing_to_json(data, {.threads = command.threads})},
                              {"best", best.name},
                              {"command", to_fit}});
    add_verdict(measured, json);
    print_json(json);
    return kOk;
  }
  std::vector<Index> columns;
  for (const Compared& model : comparison.models) columns.push_back(model.columns);
  print(worse_fields(measured, metrics) +
        field("data", fmt::format("{}: {}", data.name(), plural(data.size(), "row"))) +
        validation_fields(command, data) + "\n" +
        laid_out(model_table(measured, columns, metrics)) + "\n" +
        failed_fields(command, comparison) + calibrate_fields(measured) +
        best_fields(measured, *metrics[0], to_fit));
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
