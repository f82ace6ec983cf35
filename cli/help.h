#pragma once
#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "craton/core/options.h"

namespace craton::cli {

struct VerbHelp {
  Verb verb;
  std::string_view name, help, example;
};
std::span<const VerbHelp> verb_help();

// How an option of a model reads in the help: its text, the choices, the default; and its value.
std::string help_of(const Option& option);
std::string type_of(const Option& option);

extern const std::string_view kMainHelp;  // what "craton --help" prints

}  // namespace craton::cli
