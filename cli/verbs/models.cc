#include <fmt/core.h>

#include <cmath>

#include "cli/parsing/flags.h"
#include "cli/parsing/help.h"
#include "cli/showing/output.h"
#include "cli/showing/to_json.h"
#include "cli/verbs.h"
#include "craton/base/version.h"
#include "craton/model/registry.h"
#include "craton/select/sweep.h"

namespace craton::cli {
namespace {

constexpr std::size_t kWidth = 100, kIndent = 22;

// The verbs that it has, and flags of them.
std::string verbs_of(const ModelInfo& model) {
  std::vector<std::string> words;
  for (const Ability& ability : abilities()) {
    if (!ability.verb.empty() && model.abilities.*ability.field) words.emplace_back(ability.verb);
    if (ability.name == "sample" && can_sweep(model)) words.emplace_back("select");
  }
  return join(words);
}

std::string allowed(const Option& option) {
  if (!option.choices.empty()) {
    if (option.type == OptionType::kChoiceOrNumber) {
      return fmt::format("{}, or a number from {} to {}", join(option.choices), option.low,
                         option.high);
    }
    return join(option.choices) +
           (option.type == OptionType::kChoiceOrArray ? ", or a CSV or NPY file" : "");
  }
  if (option.type == OptionType::kArray) return "a CSV or NPY file";
  if (option.type == OptionType::kFlag) return "true, false";
  if (option.type == OptionType::kText) return "a text";
  const char* kind = option.type == OptionType::kInteger ? "a whole number, " : "a number, ";
  constexpr double kEndless = 9e18;
  return option.high >= kEndless ? fmt::format("{}at least {}", kind, option.low)
                                 : fmt::format("{}from {} to {}", kind, option.low, option.high);
}

std::string one_model(const ModelInfo& info) {
  std::string text = field("model", fmt::format("{}: {}", info.name, info.help));
  text += field("python", fmt::format("craton.{}", info.python_name));
  text += field("objective", info.objective);
  text += field("can", verbs_of(info));
  text += field("example", example_of(find_verb("fit"), std::string(info.name))) + "\n";
  for (const Option& option : info.options()) {
    const std::string indent(kIndent, ' ');
    std::string flag = flag_of(option.name);
    if (flag.size() + 2 >= kIndent) flag += "\n" + indent;  // a name too long for its column
    std::string value =
        std::holds_alternative<std::monostate>(option.value) ? "none" : to_text(option.value);
    std::erase(value, '\'');
    text +=
        fmt::format("  {:<{}}{}\n{}{}; default {}\n", flag, kIndent - 2,
                    wrapped(option.help, kWidth - kIndent, indent), indent, allowed(option), value);
  }
  return text;
}

std::string all_models() {
  SummaryTable table{"", {"model", "what it is", "can"}, {}};
  for (const ModelInfo& info : craton::models()) {
    table.rows.push_back({std::string(info.name), std::string(info.help), verbs_of(info)});
  }
  return laid_out(table) +
         "\n'craton models NAME' lists the options of one, and its name in Python.\n";
}

Json all_as_json() {
  Json::List list;
  for (const ModelInfo& info : craton::models()) list.push_back(to_json(info));
  return Json::object({{"version", version()}, {"models", Json(Json::Value(std::move(list)))}});
}

int run_models(const Command& command) {
  if (command.json) {
    print_json(command.model.empty() ? all_as_json() : to_json(find_model(command.model)));
  } else {
    print(command.model.empty() ? all_models() : one_model(find_model(command.model)));
  }
  return kOk;
}

void add_models_flags(Flags& flags) {
  flags.word("NAME", flags.command().model, "of a model; without it, all are listed", false);
}

}  // namespace

extern constinit const Verb kModels{
    .name = "models",
    .help = "List the models, or the options of one.",
    .example = "craton models gmm",
    .add = add_models_flags,
    .run = run_models,
    .first_words = model_names,
};

}  // namespace craton::cli
