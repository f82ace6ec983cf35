#include <fmt/core.h>

#include <algorithm>

#include "cli/parsing/help.h"
#include "cli/showing/output.h"
#include "cli/verbs.h"
#include "craton/base/version.h"
#include "craton/model/registry.h"

// The manual page, in the macros of man(7), from what verbs and models take.

namespace craton::cli {
namespace {

// Text as troff takes it: no line is a request, hyphens of flags stay hyphens.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool first = result.empty() || result.back() == '\n';
    if (first && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result.push_back(c);
    }
  }
  return result;
}

std::string entry(const Flag& flag) {
  std::string text = ".TP\n";
  for (std::size_t i = 0; i < flag.names.size(); ++i) {
    text += fmt::format("{}\\fB{}\\fR", i == 0 ? "" : ", ", troff(flag.names[i]));
  }
  if (!flag.type.empty()) text += fmt::format(" \\fI{}\\fR", troff(flag.type));
  return text + "\n" + troff(flag.help) + "\n";
}

std::string example(const std::string& lines) {
  return fmt::format(".PP\nFor example:\n.PP\n.nf\n.RS 4\n{}\n.RE\n.fi\n", troff(lines));
}

// What some model takes with this verb, but for the options of the models themselves.
Usage common_usage(const Verb& verb) {
  Usage common;
  for (const ModelInfo& model : craton::models()) {
    if (!verb.takes(model)) continue;
    const Usage usage = usage_of(verb, std::string(model.name));
    common.arguments = usage.arguments;
    for (const Flag& flag : usage.flags) {
      const bool own = flag.group == fmt::format("Options of {}", model.name);
      const auto same = [&](const Flag& known) { return known.names == flag.names; };
      if (!own && std::ranges::none_of(common.flags, same)) common.flags.push_back(flag);
    }
  }
  return common;
}

std::string verb_text(const Verb& verb) {
  const bool model = verb.takes != nullptr;
  const Usage usage = model ? common_usage(verb) : usage_of(verb, "");
  std::string text = fmt::format(".SS craton {}{}", verb.name, model ? " MODEL" : "");
  for (const Flag& argument : usage.arguments) text += " " + argument.names[0];
  text += fmt::format("\n{}\n", troff(verb.help));
  for (const Flag& argument : usage.arguments) text += entry(argument);
  if (model) text += ".PP\nThe options of each model are under MODELS.\n";
  for (const Flag& flag : usage.flags) text += entry(flag);
  return text + example(std::string(verb.example));
}

std::string model_text(const ModelInfo& info) {
  const std::string name(info.name);
  std::string text =
      fmt::format(".SS {}\n{} (in Python: craton.{})\n", name, troff(info.help), info.python_name);
  for (const Option& option : all_options(info)) {
    text += entry({{flag_of(option.name)}, type_of(option), help_of(option), ""});
  }
  return text + example(example_of(find_verb("fit"), name));
}

constexpr std::string_view kExitStatus = R"(.SH EXIT STATUS
.TP
0
all is well
.TP
1
the command was not understood
.TP
2
the data are not right
.TP
3
the model file is not right
.TP
4
the fit did not converge, and \-\-strict was given
.TP
5
files could not be read or written, or memory was short
.TP
130
interrupted
)";

int run_man(const Command&) {
  std::string text = fmt::format(R"(.\" Made by 'craton man'.
.TH CRATON 1 "" "craton {}" "User Commands"
.ad l
.SH NAME
craton \- probabilistic models for tables
.SH SYNOPSIS
\fBcraton\fR \fIVERB\fR [\fIarguments\fR] [\fIoptions\fR]
.SH DESCRIPTION
Fits models to tables, and uses them. Data are CSV, NPY, LIBSVM and other files, packed or not;
\- is standard input or output. Results go to standard output, notes and progress to standard
error. Without \-\-seed the seed is 0: the same command gives the same result.
.SH VERBS
)",
                                 version());
  for (const Verb* verb : verbs()) text += verb_text(*verb);
  text += ".SH MODELS\nOptions of \\fBcraton fit\\fR \\fIMODEL\\fR.\n";
  for (const ModelInfo& info : craton::models()) text += model_text(info);
  text += kExitStatus;
  print(text);
  return kOk;
}

}  // namespace

extern constinit const Verb kMan{
    .name = "man",
    .help = "Print the manual page, for man and groff.",
    .example = "craton man >craton.1",
    .add = [](Flags&) {},
    .run = run_man,
    .json = false,
};

}  // namespace craton::cli
