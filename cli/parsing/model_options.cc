#include "cli/parsing/model_options.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "craton/base/error.h"
#include "craton/io/open.h"

namespace craton::cli {
namespace {

// The nearest choice, or the nearest file, which the advice of the error names if there is one.
std::string near_of(const InputError& error, const Option& option, const std::string& path) {
  const std::string choice = did_you_mean(path, option.choices), file = error.advice().plain();
  const std::string near = choice.empty() && file.starts_with("did you mean") ? file : choice;
  return near.empty() ? "" : " " + near;
}

Array read_array(const Option& option, const std::string& path) {
  if (std::optional<Array> typed = numbers_of(path)) return *std::move(typed);
  try {
    return read_all(*open_table(path, {}, {}).source);
  } catch (const InputError& error) {
    if (error.code() != Code::kNoSuchFile || option.choices.empty()) throw;
    throw InputError(
        Code::kBadOption, {},
        {"{} is neither a choice nor a file", Ref::option(option.name, fmt::format("'{}'", path))},
        fmt::format("Give one of {}, or a CSV or NPY file.{}", join(option.choices),
                    near_of(error, option, path)));
  }
}

}  // namespace

std::vector<NamedOption> read_options(const ModelInfo& info, const Command& command) {
  std::vector<NamedOption> result;
  const std::vector<Option> known = all_options(info);
  for (const auto& given : command.options) {
    const std::string& text = given.second;
    const auto option = std::find_if(known.begin(), known.end(),
                                     [&](const Option& o) { return o.name == given.first; });
    CRATON_ASSERT(option != known.end());  // the parser took it from the same list
    if (option->name == "n_init" && text == "auto")
      continue;  // scikit-learn's word for the default
    const bool number = std::holds_alternative<Index>(parse_option(*option, text));
    const bool array = option->type == OptionType::kArray ||
                       (option->type == OptionType::kIntegerOrArray && !number) ||
                       (option->type == OptionType::kChoiceOrArray &&
                        std::count(option->choices.begin(), option->choices.end(), text) == 0);
    result.emplace_back(
        given.first, array ? OptionValue(read_array(*option, text)) : parse_option(*option, text));
  }
  return result;
}

}  // namespace craton::cli
