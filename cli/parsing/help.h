#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/verbs.h"
#include "craton/base/options.h"

namespace craton::cli {

std::string indented(const std::string& lines);  // two blanks each
std::string last_line(const std::string& text);  // without blanks before it

// A flag of a verb, or one of its arguments.
struct Flag {
  std::vector<std::string> names;  // "-o", "--output"
  std::string type, help, group;   // type "": it takes no value

  std::vector<std::string> choices() const;  // as the help lists them: [a|b|c]
};
struct Usage {
  std::vector<Flag> arguments, flags;
};
Usage usage_of(const Verb& verb, const std::string& model);  // in parse.cc, which knows

// What "--metric help" prints.
std::string list_of_metrics();

// What "craton fit --help" prints: the models.
std::string help_without_model(const Verb& verb);

// How an option of a model reads in the help: its text, the choices, the default; and its value.
std::string help_of(const Option& option);
std::string type_of(const Option& option);

extern const std::string_view kMainHelp;  // what "craton --help" prints

}  // namespace craton::cli
