#include "cli/data.h"
#include "cli/fit_output.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace craton::cli {

namespace {

int go_on(const Command& command, ModelInfo::GoOn ModelInfo::*how) {
  check_writable(command.output);
  const Fitted so_far = read_model(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  const Data data = read_for_model(command, so_far, Want::kLabels, exec);
  progress.start_passes(data.size());
  const Fitted fitted = (so_far.info().*how)(so_far, data.source(), so_far.options, exec);
  progress.finish();
  complain_of(fitted, command);
  keep(command, fitted);
  tell(command, fitted, &data);
  return kOk;
}

}  // namespace

int learn(const Command& command) { return go_on(command, &ModelInfo::partial_fit); }

int unlearn(const Command& command) { return go_on(command, &ModelInfo::unlearn); }

}  // namespace craton::cli
