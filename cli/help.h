#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "craton/base/options.h"
#include "craton/model/registry.h"

namespace craton::cli {

struct VerbHelp {
  Verb verb;
  std::string_view name, help, example;
};
std::span<const VerbHelp> verb_help();
std::string indented(const std::string& lines);      // two blanks each
std::string last_line(const std::string& text);      // without blanks before it
const VerbHelp& find_verb(const std::string& name);  // InputError (kUnknownName) with a near one

// What to say to one who typed an unknown flag; "" when nothing is near.
std::string near_flag(Verb verb, const std::string& given, std::span<const std::string> flags);

// A flag of a verb, or one of its arguments.
struct Flag {
  std::vector<std::string> names;  // "-o", "--output"
  std::string type, help, group;   // type "": it takes no value

  std::vector<std::string> choices() const;  // as the help lists them: [a|b|c]
};
struct Usage {
  std::vector<Flag> arguments, flags;
};
Usage usage_of(const VerbHelp& verb, const std::string& model);  // in parse.cc, which knows

bool needs_model(Verb verb);  // as its first word
bool takes_model(const VerbHelp& verb, const ModelInfo& model);
bool prints_json(Verb verb);

// The example of a verb, with the model at hand: commands, a line each.
std::string example_of(const VerbHelp& verb, const std::string& model);
// What "craton fit --help" prints: the models.
std::string help_without_model(const VerbHelp& verb);

// How an option of a model reads in the help: its text, the choices, the default; and its value.
std::string help_of(const Option& option);
std::string type_of(const Option& option);

extern const std::string_view kMainHelp;  // what "craton --help" prints

}  // namespace craton::cli
