#pragma once
#include <memory>

#include "cli/parsing/command.h"
#include "craton/io/input.h"

namespace craton::cli {

// What is in a table: a line a column, the shares of the classes of --target, and what to know.
int describe_table(const Command& command, std::unique_ptr<Input> input);

}  // namespace craton::cli
