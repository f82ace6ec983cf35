#pragma once
#include "cli/parsing/command.h"

namespace craton::cli {

// Refuses an output that is also an input or another output (by name, or the same file under
// another), and two things that would both go to stdout.
void check_files(const Command& command);

}  // namespace craton::cli
