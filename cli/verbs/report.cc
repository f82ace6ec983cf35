#include <fmt/core.h>

#include "cli/parsing/data.h"
#include "cli/parsing/entries.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/validation.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/io/input.h"
#include "craton/io/npz.h"
#include "craton/model/archive.h"
#include "craton/report/pages/report.h"

// One verb for both: what it is given is a model file, with the rows to tell of, or a table.

namespace craton::cli {
namespace {

bool is_model(const std::string& path) {
  if (path.ends_with(".craton")) return true;
  if (path == "-") return false;
  const std::unique_ptr<Input> input = open_input(split_npz_path(path).first);
  Bytes front(kArchiveHead);
  front.resize(read_full(*input, front));
  return begins_as_archive(front);
}

Page page_of_model(Command command, ConsoleProgress& progress) {
  const Exec exec{.threads = command.threads, .progress = &progress};
  if (command.data.empty()) {
    refuse("DATA is missing: the rows to tell of",
           "For example: craton report m.craton new.csv -o page.html");
  }
  command.measures = false;
  const Fitted fitted = read_model(command);
  const Data data = read_for_model(command, fitted, Want::kTargetIfThere, exec);
  progress.start_passes(data.size());
  return report_model(fitted, data.source(), {command.model_file, command.data}, exec);
}

Page page_of_table(Command command, ConsoleProgress& progress) {
  const Exec exec{.threads = command.threads, .progress = &progress};
  if (!command.data.empty()) {
    throw InputError(Code::kBadFile, {.file = command.model_file},
                     "two files are given, and the first is no model",
                     "Give a model and rows, or one table: craton report data.csv --target y.");
  }
  command.data = std::move(command.model_file);
  command.model_file.clear();
  const OpenedTable opened = open_to_fit(command, exec);
  progress.start_passes(opened.source->shape().rows);
  ReportQuestion question{
      .roles = roles_of(command),
      .models = contestants_of(command),
      .compare = {command.validation.metrics, fold_plan_of(command), command.positive},
      .files = {"", command.data}};
  question.roles.dense = false;
  TableReport report = report_table(
      opened, question, exec,
      [&](Index done, Index all, const std::string& what) { progress.task(done, all, what); });
  progress.finish();
  if (!command.quiet) complain(report.notes, "note", opened.source->name());
  return std::move(report.page);
}

int run_report(const Command& command) {
  check_writable(command.output);
  ConsoleProgress progress(command);
  const Page page = is_model(command.model_file) ? page_of_model(command, progress)
                                                 : page_of_table(command, progress);
  progress.finish();
  save(command.output.empty() ? "-" : command.output, to_html(page));
  return kOk;
}

void add_report_flags(Flags& flags) {
  Command& command = flags.command();
  command.draws = true;
  command.measures = true;
  flags.word("FILE", command.model_file, "a table; or what 'craton fit ... -o' wrote, before DATA");
  flags.word("DATA", command.data, "rows to tell of, of a model", false);
  flags.text("-o,--output", command.output, "FILE", "write the page here instead of to stdout");
  flags.names("--models", command.models, "compare these models (default: all that suit)");
  flags.fit_options();
  flags.validation();
}

}  // namespace

extern constinit const Verb kReport{
    .name = "report",
    .help = "Write a page on a table, or on a model and rows, to look at and to hand on.",
    .example = "craton report examples/data/birds.csv --target kind -o birds.html",
    .add = add_report_flags,
    .run = run_report,
    .json = false,
};

}  // namespace craton::cli
