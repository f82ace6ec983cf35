#pragma once
#include <span>
#include <string>

#include "cli/parsing/command.h"

namespace craton::cli {

// What the words after "craton" ask for. Throws InputError (kUsage) for what it does not know.
Command parse(std::span<const std::string> words);

}  // namespace craton::cli
