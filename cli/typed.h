#pragma once
#include <string>

#include "cli/command.h"

namespace craton::cli {

// Values of flags as they were typed: "" where none was.
struct Typed {
  std::string schema, header = "auto", delimiter, memory;
  std::string features, drop, keep, names, plot_columns, plot_stages, rows, seed, threads, explain;
  std::string missing = "auto", progress = "auto";
  std::string metrics, folds, repeats, draws;
};

// What they mean. InputError (kBadOption) for one that is not allowed, or not with another.
void read_typed(const Typed& typed, Command& command);

}  // namespace craton::cli
