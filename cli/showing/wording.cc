#include "cli/showing/wording.h"

#include <algorithm>

#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/model/registry.h"
#include "craton/text/text_options.h"

namespace craton::cli {

ShellWording::ShellWording(const Command& command) {
  if (command.verb == nullptr) return;
  std::vector<Option> typed;
  if (command.verb->name == "vectorize") typed = text_options();
  if (!command.model.empty() && command.verb->takes != nullptr) {
    typed = all_options(find_model(command.model));
  }
  for (const Option& option : typed) options_.push_back(option.name);
}

std::string ShellWording::of(const Ref& ref) const {
  const bool typed = ref.kind == Ref::Kind::kOption &&
                     std::find(options_.begin(), options_.end(), ref.name) != options_.end();
  if (!typed) return Wording::of(ref);
  return flag_of(ref.name) + (ref.value.empty() ? "" : " " + ref.value);
}

}  // namespace craton::cli
