#pragma once
#include <string>
#include <vector>

#include "cli/parsing/command.h"
#include "craton/base/message.h"

namespace craton::cli {

// Messages as they are read at a shell: "--n-init 10" for an option that the command has a flag
// for. A verb whose model comes from a file, or that compares several, has none, and calls options
// by their names, as `craton describe` does.
class ShellWording final : public Wording {
 public:
  explicit ShellWording(const Command& command);
  std::string of(const Ref& ref) const override;

 private:
  std::vector<std::string> options_;  // that have a flag
};

}  // namespace craton::cli
