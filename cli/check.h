#pragma once
#include <string>

#include "cli/command.h"

namespace craton::cli {

// Refuses an output that is also an input or another output (by name, or the same file under
// another), and two things that would both go to stdout.
void check_files(const Command& command);

// The text of an error with the options of the command's model as they are typed at a shell:
// "n_components = 0 is not allowed" as "--n-components 0 is not allowed".
std::string as_typed(const std::string& text, const Command& command);

}  // namespace craton::cli
