#include "craton/report/pages/report.h"
#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"

namespace craton::cli {
namespace {

int run_report(const Command& command) {
  check_writable(command.output);
  const Fitted fitted = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_for_model(command, fitted, Want::kTargetIfThere, exec);
  progress.start_passes(data.size());
  const Page page = report_model(fitted, data.source(), {command.model_file, command.data}, exec);
  progress.finish();
  save(command.output.empty() ? "-" : command.output, to_html(page));
  return kOk;
}

void add_report_flags(Flags& flags) {
  Command& command = flags.command();
  command.draws = true;
  flags.word("MODEL_FILE", command.model_file, "what 'craton fit ... -o' wrote; '-' is stdin");
  flags.word("DATA", command.data, "rows to tell of");
  flags.text("--target", command.target, "COLUMN", "of DATA: what is true, if not of that name");
  flags.text("-o,--output", command.output, "FILE", "write the page here instead of to stdout");
  flags.run_options();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kReport{
    .name = "report",
    .help = "Write a page on a model and rows, to look at and to hand on.",
    .example =
        "craton fit nb examples/data/birds.csv --target kind -o birds.craton\n"
        "craton report birds.craton examples/data/birds.csv -o birds.html",
    .add = add_report_flags,
    .run = run_report,
    .json = false,
};

}  // namespace craton::cli
