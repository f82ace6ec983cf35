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
const VerbHelp& find_verb(const std::string& name);  // InputError (kUnknownName) with a near one

// The example of a verb, with the model at hand.
std::string example_of(const VerbHelp& verb, const std::string& model);
// What "craton fit --help" prints: the models.
std::string help_without_model(const VerbHelp& verb);

// How an option of a model reads in the help: its text, the choices, the default; and its value.
std::string help_of(const Option& option);
std::string type_of(const Option& option);

extern const std::string_view kMainHelp;  // what "craton --help" prints

}  // namespace craton::cli
