#include "cli/data.h"
#include "cli/fit_output.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "craton/base/error.h"

namespace craton::cli {

int merge(const Command& command) {
  check_writable(command.output);
  if (command.model_files.size() < 2) {
    throw InputError(Code::kBadOption, {}, "fewer than two models to merge",
                     "Give two model files or more.");
  }
  Fitted merged = read_model(command.model_files[0]);
  for (std::size_t i = 1; i < command.model_files.size(); ++i) {
    merged = merged.info().merge(merged, read_model(command.model_files[i]));
  }
  complain_of(merged, command);
  keep(command, merged);
  tell(command, merged, nullptr);
  return kOk;
}

}  // namespace craton::cli
