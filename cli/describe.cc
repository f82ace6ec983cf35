#include <fmt/core.h>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/summary.h"
#include "cli/to_json.h"
#include "cli/verbs.h"

namespace craton::cli {

int describe(const Command& command) {
  const Fitted fitted = read_model(command);
  if (command.json) {
    print_json(to_json(fitted));
    return kOk;
  }
  const std::vector<std::string> names = fitted.schema.names();
  std::string text = field("columns", join(names)) + summary(fitted) + "\n";
  for (const Note& note : fitted.report.notes) text += field("note", note.text);
  print(text + field("digest", digest(fitted)));
  return kOk;
}

}  // namespace craton::cli
