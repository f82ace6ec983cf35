#include "cli/parsing/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/parsing/check.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/formatter.h"
#include "cli/parsing/help.h"
#include "cli/parsing/values.h"
#include "cli/verbs.h"
#include "craton/base/error.h"
#include "craton/base/version.h"

// This file and flags.cc know CLI11. Every value is taken as text, so that options are checked, and
// explained, where they are described.

namespace craton::cli {
namespace {

// The words of one verb, read into a command.
class VerbParser {
 public:
  VerbParser(const Verb& verb, const std::string& model)
      : app_(std::string(verb.help),
             fmt::format("craton {}{}{}", verb.name, model.empty() ? "" : " ", model)) {
    app_.formatter(std::make_shared<Formatter>());
    app_.allow_extras();
    app_.footer("Example:\n" + indented(example_of(verb, model)));
    command_.verb = &verb;
    command_.model = model;
    verb.add(flags_);
    if (verb.json) flags_.yes("--json", command_.json, "print one JSON document, for programs");
    app_.set_help_flag("--help,-h", "show this help");  // last, so that it is listed last
  }

  Command parse(std::span<const std::string> words) {
    try {
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 pops the back
    } catch (const CLI::CallForHelp&) {
      return {.text = help()};
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string what = error.what();
      refuse(what.substr(0, what.find(':')) + " needs a value", see_help());
    } catch (const CLI::ParseError& error) {
      refuse(error.what(), see_help());
    }
    refuse_extras();
    if (const std::string option = option_without_value(app_); !option.empty()) {
      refuse(option + " needs a value", see_help());
    }
    for (const auto& [typed, made] : flags_.lists()) {
      if (*typed == "help") return {.text = made()};
    }
    for (const auto& [name, value] : flags_.required()) {
      if (value->empty()) {
        refuse(fmt::format("{} is missing", name), "For example: " + last_line(app_.get_footer()));
      }
    }
    flags_.finish();
    check_files(command_);
    return std::move(command_);
  }

  Usage usage() const { return usage_of(app_); }

 private:
  std::string help() const {
    std::string text = app_.help();
    // CLI11 puts two lines between groups.
    for (std::size_t gap; (gap = text.find("\n\n\n")) != text.npos;) text.erase(gap, 1);
    return text.ends_with('\n') ? text : text + "\n";
  }
  std::string see_help() const { return fmt::format("See '{} --help'.", app_.get_name()); }

  void refuse_extras() const {
    std::vector<std::string> extras = app_.remaining();
    std::erase(extras, "--");  // what follows it is no option
    if (extras.empty()) return;
    const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
      return word.size() > 1 && word[0] == '-';
    });
    if (option == extras.end()) {
      refuse(fmt::format("do not know what to do with '{}'", extras[0]), see_help());
    }
    const std::string given = option->substr(0, option->find('='));
    std::vector<std::string> flags;
    for (const CLI::Option* known : app_.get_options()) {
      for (const std::string& name : known->get_lnames()) flags.push_back("--" + name);
    }
    const std::string near = near_flag(given, flags);
    throw InputError(Code::kUnknownName, {},
                     fmt::format("{} has no option '{}'", app_.get_name(), given),
                     (near.empty() ? "" : near + " ") + see_help());
  }

  std::string near_flag(const std::string& given, std::span<const std::string> known) const {
    for (const auto& [ending, text] : flags_.hints()) {
      if (given.ends_with(ending)) return text;
    }
    if (given == "--random-state") return "did you mean '--seed'?";
    if (given == "--n-jobs") return "did you mean '--threads'?";
    return did_you_mean(given, known);
  }

  CLI::App app_;
  Command command_;
  Flags flags_{app_, command_};
};

bool is_help(const std::string& word) { return word == "--help" || word == "-h"; }

}  // namespace

Command parse(std::span<const std::string> words) {
  if (words.empty()) {
    refuse("no verb given", "See 'craton --help'. First steps: craton models");
  }
  if (is_help(words[0]) || words[0] == "help") {
    if (words.size() == 1) return {.text = std::string(kMainHelp)};
    std::vector<std::string> turned(words.begin() + 1, words.end());  // craton help fit gmm
    turned.emplace_back("--help");
    return parse(turned);
  }
  if (words[0] == "--version") return {.text = fmt::format("craton {}\n", version())};

  const Verb& verb = find_verb(words[0]);
  words = words.subspan(1);
  if (verb.takes == nullptr) return VerbParser(verb, "").parse(words);
  if (!words.empty() && is_help(words[0])) return {.text = help_without_model(verb)};
  if (words.empty() || words[0].starts_with("-")) {
    refuse(fmt::format("craton {} needs a model first", verb.name),
           fmt::format("For example: {}", verb.example));
  }
  const ModelInfo& model = find_model(words[0]);
  return VerbParser(verb, std::string(model.name)).parse(words.subspan(1));
}

Usage usage_of(const Verb& verb, const std::string& model) {
  return VerbParser(verb, model).usage();
}

}  // namespace craton::cli
