#pragma once
#include "cli/parsing/command.h"
#include "craton/model/registry.h"

namespace craton::cli {

// The options of a model, from the words typed: numbers, choices, and files for arrays.
std::vector<NamedOption> read_options(const ModelInfo& info, const Command& command);

}  // namespace craton::cli
