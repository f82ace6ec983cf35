#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/fit_output.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {

namespace {

int run_merge(const Command& command) {
  check_writable(command.output);
  if (command.model_files.size() < 2) {
    throw InputError(Code::kBadOption, {}, "fewer than two models to merge",
                     "Give two model files or more.");
  }
  Fitted merged = read_model(command.model_files[0]);
  const std::vector<ColumnForm> forms = forms_in(merged.report.notes);
  for (std::size_t i = 1; i < command.model_files.size(); ++i) {
    merged = merged.info().merge(merged, read_model(command.model_files[i]));
  }
  complain_of(merged, command);
  keep(command, merged, forms);
  tell(command, merged, nullptr);
  return kOk;
}

void add_merge_flags(Flags& flags) {
  flags.words("MODEL_FILE", flags.command().model_files, "two or more, of one kind and columns");
  flags.save("save the model here");
  flags.quiet("print warnings and errors only");
}

}  // namespace

extern constinit const Verb kMerge{
    .name = "merge",
    .help = "Make one model of several that were fitted on other rows.",
    .example =
        "craton fit gaussian-nb examples/data/people.csv --target sex -o here.craton\n"
        "cp here.craton there.craton\n"
        "craton merge here.craton there.craton -o all.craton",
    .add = add_merge_flags,
    .run = run_merge,
};

}  // namespace craton::cli
