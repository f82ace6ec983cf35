#include "cli/help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/output.h"
#include "cli/sweep.h"
#include "craton/base/error.h"
#include "craton/model/registry.h"

namespace craton::cli {

// Examples run as they stand, where examples/ is: tests/cli/test_help.py runs them.
std::span<const VerbHelp> verb_help() {
  static constexpr std::array kVerbs{
      VerbHelp{Verb::kFit, "fit", "Fit a model to the rows of a table.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton"},
      VerbHelp{Verb::kLearn, "learn",
               "Let a model learn on from the rows of a table, each seen once.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton learn islands.craton examples/data/islands.csv -o more.craton"},
      VerbHelp{
          Verb::kUnlearn, "unlearn",
          "Take rows away from a model that has learned from them, as if they had not been there.",
          "craton fit multinomial-nb examples/data/letters.csv --target kind -o letters.craton\n"
          "head -n 11 examples/data/letters.csv >withdrawn.csv\n"
          "craton unlearn letters.craton withdrawn.csv -o without.craton"},
      VerbHelp{Verb::kMerge, "merge", "Make one model of several that were fitted on other rows.",
               "craton fit gaussian-nb examples/data/people.csv --target sex -o here.craton\n"
               "cp here.craton there.craton\n"
               "craton merge here.craton there.craton -o all.craton"},
      VerbHelp{Verb::kPredict, "predict", "Print the label of each row of a table, as CSV.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton predict islands.craton examples/data/islands.csv --proba -o labels.csv"},
      VerbHelp{Verb::kScore, "score", "Say how well a model fits a table.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton score islands.craton examples/data/islands.csv"},
      VerbHelp{Verb::kSample, "sample", "Draw new rows from a model, as CSV.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton sample islands.craton -n 1000 --seed 7 -o more.csv"},
      VerbHelp{Verb::kDescribe, "describe", "Show what a model learned, or what is in a table.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton describe islands.craton\n"
               "craton describe examples/data/birds.csv --target kind"},
      VerbHelp{Verb::kModels, "models", "List the models, or the options of one.",
               "craton models gmm"},
      VerbHelp{
          Verb::kSelect, "select",
          "Fit a range of models and choose: by BIC, AIC or ICL, or clusters by silhouette or gap.",
          "craton select gmm examples/data/islands.csv --n-components 1..8 -o best.craton"},
      VerbHelp{Verb::kCv, "cv",
               "Measure a model on rows that it has not learned from, and search its options.",
               "craton cv nb examples/data/birds.csv --target kind --metric accuracy,log-loss"},
      VerbHelp{Verb::kCompare, "compare", "Measure several models on the same held-out rows.",
               "craton compare nb generative examples/data/birds.csv --target kind"},
      VerbHelp{Verb::kPlot, "plot", "Draw a table and what a model learned, as SVG.",
               "craton fit gmm examples/data/islands.csv --n-components 4 -o islands.craton\n"
               "craton plot islands.craton examples/data/islands.csv -o islands.svg"},
      VerbHelp{Verb::kExplain, "explain", "Say what an error means and what to do about it.",
               "craton explain not-finite"},
      VerbHelp{Verb::kConvert, "convert", "Write a data file in another format.",
               "craton convert examples/data/islands.csv islands.npy"},
      VerbHelp{Verb::kCompletion, "completion",
               "Print a script that completes words of craton at a shell.",
               "craton completion bash >craton.bash"},
      VerbHelp{Verb::kMan, "man", "Print the manual page, for man and groff.",
               "craton man >craton.1"},
      VerbHelp{Verb::kDoctor, "doctor", "Say what this craton is made of and what it runs on.",
               "craton doctor"},
  };
  return kVerbs;
}

const VerbHelp& find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const VerbHelp& verb : verb_help()) {
    if (verb.name == name) return verb;
    names.emplace_back(verb.name);
  }
  const std::string near = did_you_mean(name, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no verb '{}'", name),
                   near.empty() ? fmt::format("The verbs are: {}.", join(names)) : near);
}

std::string near_flag(Verb verb, const std::string& given, std::span<const std::string> flags) {
  if (verb == Verb::kSelect && given.ends_with("-init")) {
    return "A given start fits one --n-components only: use 'craton fit'.";
  }
  if (given == "--random-state") return "did you mean '--seed'?";
  if (given == "--n-jobs") return "did you mean '--threads'?";
  return did_you_mean(given, flags);
}

std::string example_of(const VerbHelp& verb, const std::string& model) {
  if (verb.verb != Verb::kFit) return std::string(verb.example);
  return fmt::format("craton fit {} {}", model, find_model(model).usage.example);
}

std::vector<std::string> Flag::choices() const {
  const std::size_t first = help.find('['), last = help.find(']', first);
  if (first == help.npos || last == help.npos || help.find('|', first) > last) return {};
  std::vector<std::string> result(1);
  for (const char c : help.substr(first + 1, last - first - 1)) {
    c == '|' ? void(result.emplace_back()) : result.back().push_back(c);
  }
  return result;
}

bool needs_model(Verb verb) {
  return verb == Verb::kFit || verb == Verb::kSelect || verb == Verb::kCv;
}

bool takes_model(const VerbHelp& verb, const ModelInfo& model) {
  return needs_model(verb.verb) && (verb.verb != Verb::kSelect || can_sweep(model));
}

bool prints_json(Verb verb) {
  return verb != Verb::kPlot && verb != Verb::kCompletion && verb != Verb::kMan;
}

std::string last_line(const std::string& text) {
  return text.substr(text.find_first_not_of(' ', text.rfind('\n') + 1));
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) text += c == '\n' ? "\n  " : std::string(1, c);
  return text;
}

std::string help_without_model(const VerbHelp& verb) {
  std::string text =
      fmt::format("{}\nUsage: craton {} MODEL DATA [options]\n\nModels:\n", verb.help, verb.name);
  for (const ModelInfo& model : craton::models()) {
    if (!takes_model(verb, model)) continue;
    text += fmt::format("  {:<22} {}\n", model.name, model.help);
  }
  return text + fmt::format("\n'craton {} MODEL --help' has the options.\n\nExample:\n  {}\n",
                            verb.name, verb.example);
}

std::string help_of(const Option& option) {
  std::string text = option.help;
  if (!option.choices.empty()) text += fmt::format(" [{}]", join(option.choices, "|"));
  if (std::holds_alternative<std::monostate>(option.value)) return text;
  std::string value = to_text(option.value);
  std::erase(value, '\'');
  return text + fmt::format(" (default {})", value);
}

std::string type_of(const Option& option) {
  switch (option.type) {
    case OptionType::kInteger:
      return "N";
    case OptionType::kNumber:
      return "X";
    case OptionType::kArray:
      return "FILE";
    case OptionType::kFlag:
      return "true|false";
    case OptionType::kChoice:
      return "NAME";
    case OptionType::kChoiceOrArray:
      return "NAME|FILE";
    case OptionType::kText:
      return "TEXT";
    case OptionType::kChoiceOrNumber:
      return "NAME|X";
    case OptionType::kIntegerOrArray:
      return "N|FILE";
  }
  return "";
}

const std::string_view kMainHelp =
    R"(craton: probabilistic models for tables, from the command line.

  craton models                                what there is, and its options
  craton select gmm data.csv                   how many components?
  craton cv nb data.csv --target y             how good is it, on other rows?
  craton compare nb gaussian-nb data.csv --target y
  craton fit gmm data.csv --n-components 4 -o m.craton --plot m.svg
  craton learn m.craton more.csv -o n.craton   learn on from more rows
  craton unlearn m.craton old.csv -o n.craton  as if rows had not been there
  craton merge a.craton b.craton -o c.craton   one model of several
  craton describe m.craton                     what was learned, or what is in a table
  craton predict m.craton new.csv              a label for each row
  craton score m.craton new.csv                how well it fits
  craton sample m.craton -n 100                new rows
  craton plot m.craton new.csv -o new.svg      a picture
  craton explain CODE                          what an error means
  craton convert data.svm data.csv             one format into another
  craton doctor                                what runs here; 'completion' and 'man' for your shell

Data are CSV, NPY, LIBSVM and other files (docs/data-files.md), packed or not; '-' is standard input
or output. Results go to stdout, notes and progress to stderr; --json prints results for programs.
Without --seed the seed is 0: the same command gives the same result.

'craton VERB --help' has the options of a verb and an example.
Exit codes: 0 ok, 1 usage, 2 data, 3 model file, 4 not converged (--strict), 5 files or memory,
130 interrupted.
)";

}  // namespace craton::cli
