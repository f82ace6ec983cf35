#include "cli/parsing/entries.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/parsing/model_options.h"
#include "cli/parsing/validation.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "craton/base/error.h"
#include "craton/select/search.h"

namespace craton::cli {
namespace {

std::string word_of(const OptionValue& value) {
  if (const double* number = std::get_if<double>(&value)) return shown(*number);
  std::string text = to_text(value);
  std::erase(text, '\'');
  return text;
}

bool has(std::span<const NamedOption> options, const std::string& name) {
  return std::any_of(options.begin(), options.end(),
                     [&](const NamedOption& option) { return option.first == name; });
}

std::vector<Axis> axes_of(const Command& command, const ModelInfo& model) {
  std::vector<Axis> axes;
  for (const std::string& text : command.validation.grid) axes.push_back(parse_axis(model, text));
  return axes;
}

Contestant contestant_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  Contestant contestant{word, {&find_model(word.substr(0, colon)), {}}};
  if (colon == word.npos) return contestant;
  for (const std::string& part : split(word.substr(colon + 1))) {
    const Axis axis = parse_axis(*contestant.trial.model, part);
    if (axis.values.size() != 1) refuse(fmt::format("'{}' has several values", part), "Give one.");
    contestant.trial.options.emplace_back(axis.option, axis.values[0]);
  }
  return contestant;
}

}  // namespace

std::vector<std::string> grid_options(const Command& command, const ModelInfo& model) {
  std::vector<std::string> names;
  for (const Axis& axis : axes_of(command, model)) names.push_back(axis.option);
  return names;
}

std::vector<Entry> grid_entries(const Command& command, const ModelInfo& model) {
  const std::vector<NamedOption> typed = read_options(model, command);
  model.check(typed);
  const std::vector<Axis> axes = axes_of(command, model);
  for (const Axis& axis : axes) {
    if (!has(typed, axis.option)) continue;
    refuse({"{} is in --grid and given beside it", Ref::option(axis.option)},
           "Leave one of them out.");
  }
  const Index draws = command.validation.draws;
  std::vector<Entry> entries;
  for (const std::vector<NamedOption>& point :
       draws > 0 ? random_search(axes, draws, seed_of(command)) : grid(axes)) {
    Entry& entry = entries.emplace_back(Entry{"", {&model, typed}});
    for (const NamedOption& option : point) {
      entry.trial.options.push_back(option);
      entry.point.push_back(word_of(option.second));
      entry.name += fmt::format("{}{} = {}", entry.name.empty() ? "" : ", ", option.first,
                                entry.point.back());
    }
    if (point.empty()) entry.name = model.name;
  }
  return entries;
}

std::vector<Contestant> contestants_of(const Command& command) {
  std::vector<Contestant> contestants;
  for (const std::string& word : command.models) {
    contestants.push_back(contestant_of(word));
    Trial& trial = contestants.back().trial;
    for (NamedOption& shared : read_options(*trial.model, command)) {
      if (!has(trial.options, shared.first)) trial.options.push_back(std::move(shared));
    }
    trial.model->check(trial.options);
    const auto same = [&](const Contestant& c) { return c.name == word; };
    if (std::count_if(contestants.begin(), contestants.end(), same) > 1) {
      refuse(fmt::format("'{}' is given twice", word), "Name each model once.");
    }
  }
  return contestants;
}

}  // namespace craton::cli
