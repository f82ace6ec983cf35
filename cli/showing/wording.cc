#include "cli/showing/wording.h"

#include <algorithm>

#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/model/registry.h"

namespace craton::cli {

ShellWording::ShellWording(const Command& command) {
  if (command.model.empty() || command.verb == nullptr || command.verb->takes == nullptr) return;
  for (const Option& option : all_options(find_model(command.model)))
    options_.push_back(option.name);
}

std::string ShellWording::of(const Ref& ref) const {
  const bool typed = ref.kind == Ref::Kind::kOption &&
                     std::find(options_.begin(), options_.end(), ref.name) != options_.end();
  if (!typed) return Wording::of(ref);
  return flag_of(ref.name) + (ref.value.empty() ? "" : " " + ref.value);
}

}  // namespace craton::cli
