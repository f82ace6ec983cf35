#pragma once
#include <span>
#include <string_view>

#include "cli/command.h"

namespace craton::cli {

struct VerbHelp {
  Verb verb;
  std::string_view name, help, example;
};
std::span<const VerbHelp> verb_help();

extern const std::string_view kMainHelp;  // what "craton --help" prints

}  // namespace craton::cli
