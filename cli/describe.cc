#include <fmt/core.h>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/summary.h"
#include "cli/to_json.h"
#include "cli/verbs.h"

namespace craton::cli {
namespace {

// "23", or "21; 2 are given": what AIC and BIC count.
std::string free_parameters(const Fitted& fitted) {
  if (!fitted.info().abilities.free_parameters) return "";
  const Index free = fitted.model->free_parameters(fitted.options);
  const Index given = fitted.model->free_parameters({}) - free;
  return field("free", given == 0 ? plural(free, "parameter")
                                  : fmt::format("{}; {} given, not estimated",
                                                plural(free, "parameter"), given));
}

}  // namespace

int describe(const Command& command) {
  const Fitted fitted = read_model(command);
  if (command.json) {
    print_json(to_json(fitted));
    return kOk;
  }
  const std::vector<std::string> names = fitted.schema.names();
  std::string text = field("columns", join(names)) + summary(fitted) + "\n";
  text += free_parameters(fitted);
  for (const Note& note : fitted.report.notes) text += field("note", note.text);
  text += field("digest", digest(fitted));
  const auto& [library_version, target, grid_version] = fitted.origin;
  if (!library_version.empty()) {
    text += field("made by", fmt::format("craton {} on {}", library_version, target));
  }
  print(text);
  return kOk;
}

}  // namespace craton::cli
