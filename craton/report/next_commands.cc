#include "craton/report/next_commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace craton {
namespace {

std::string for_shell(const std::string& name) {
  const bool plain =
      !name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-./,:+").find(c) != std::string_view::npos;
      });
  if (plain) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string names_for_shell(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return for_shell(text);
}

Useless useless_columns(const TableFacts& facts) {
  Useless useless;
  for (const DescribedColumn& of : facts.columns) {
    if (!of.used() || of.column.name == facts.target || facts.shape.rows < 2) continue;
    if (of.facts.counts_up) useless.numbers.push_back(of.column.name);
    if (of.facts.distinct == 0) useless.empty.push_back(of.column.name);
    if (of.facts.distinct == 1 && of.facts.missing == 0) useless.constant.push_back(of.column.name);
  }
  return useless;
}

std::vector<std::string> next_commands(const TableFacts& facts, const std::string& path) {
  const std::vector<std::string> useless = useless_columns(facts).all();
  const std::string drop = useless.empty() ? "" : " --drop " + names_for_shell(useless);
  bool missing = false, target_missing = false;
  Index numbers = 0, words = 0;
  std::string classes;  // the last column that may be what one asks about
  for (const DescribedColumn& of : facts.columns) {
    constexpr Index kFewClasses = 20;
    if (!of.used() || std::ranges::find(useless, of.column.name) != useless.end()) continue;
    (of.column.name == facts.target ? target_missing : missing) |= of.facts.missing > 0;
    ++(of.column.kind == ColumnKind::kCategory ? words : numbers);
    const bool few = of.facts.distinct >= 2 && of.facts.distinct <= kFewClasses;
    if (of.column.kind == ColumnKind::kCategory && few) classes = of.column.name;
  }
  const std::string file = for_shell(path);
  const std::string data = file + drop;
  if (facts.shape.rows < 2 || numbers + words == 0) return {};
  if (!facts.target.empty()) {
    std::string options = " --target " + for_shell(facts.target);
    if (target_missing) options += " --missing skip";
    if (facts.classes.empty()) {
      if (missing && !target_missing) options += " --fill median";
      return {fmt::format("craton fit linear {}{} -o model.craton", data, options)};
    }
    constexpr Index kFolds = 5;  // each has a row of every class
    std::vector<std::string> commands;
    if (facts.classes.back().rows >= kFolds) {
      commands.push_back(fmt::format("craton cv nb {}{}", data, options));
    }
    commands.push_back(fmt::format("craton fit nb {}{} -o model.craton", data, options));
    return commands;
  }
  std::vector<std::string> commands;
  if (!classes.empty()) {
    commands.push_back(fmt::format("craton describe {} --target {}", file, for_shell(classes)));
  }
  if (words > 0) {
    commands.push_back(fmt::format("craton select mixture {} --n-components 1..6", data));
  } else {
    commands.push_back(fmt::format("craton select gmm {} --n-components 1..8{}", data,
                                   missing ? " --missing skip" : ""));
  }
  return commands;
}

}  // namespace craton
