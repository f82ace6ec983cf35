#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/fit_output.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"

namespace craton::cli {
namespace {

int go_on(const Command& command, ModelInfo::GoOn ModelInfo::*how) {
  check_writable(command.output);
  const Fitted so_far = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_for_model(command, so_far, Want::kTarget, exec);
  progress.start_passes(data.size());
  Fitted fitted = (so_far.info().*how)(so_far, data.source(), so_far.options, exec);
  progress.finish();
  complain_of(fitted, command);
  keep(command, fitted, data.forms);
  tell(command, fitted, &data);
  return kOk;
}

int run_learn(const Command& command) { return go_on(command, &ModelInfo::partial_fit); }

int run_unlearn(const Command& command) { return go_on(command, &ModelInfo::unlearn); }

void add_learn_flags(Flags& flags) {
  flags.model_and_data();
  flags.weights();
  flags.save("save the model here");
  flags.run_options();
  flags.quiet("print warnings and errors only");
}

}  // namespace

extern constinit const Verb kLearn{
    .name = "learn",
    .help = "Let a model learn on from the rows of a table, each seen once.",
    .example =
        "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
        "craton learn islands.craton examples/data/islands.csv -o more.craton",
    .add = add_learn_flags,
    .run = run_learn,
};

extern constinit const Verb kUnlearn{
    .name = "unlearn",
    .help =
        "Take rows away from a model that has learned from them, as if they had not been there.",
    .example =
        "craton fit multinomial-nb examples/data/letters.csv --target kind -o letters.craton\n"
        "head -n 11 examples/data/letters.csv >withdrawn.csv\n"
        "craton unlearn letters.craton withdrawn.csv -o without.craton",
    .add = add_learn_flags,
    .run = run_unlearn,
};

}  // namespace craton::cli
