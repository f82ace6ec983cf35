#include "cli/parsing/fit_command.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/showing/output.h"
#include "craton/model/model_metadata.h"

namespace craton::cli {
namespace {

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,:=+%@").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string fit_command(const Command& command, const Trial& trial,
                        std::span<const Metric* const> metrics) {
  std::string text = fmt::format("craton fit {} {}", trial.model->name, quoted(command.data));
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", flag, quoted(value));
  };
  const bool target = learns_target(*trial.model, metrics);
  if (target) add("--target", command.target);
  add("--text", command.text_column);
  add("--features", join(command.features, ","));
  std::vector<std::string> drop = command.drop;
  for (const std::string& column : {command.validation.groups, command.validation.time}) {
    if (!column.empty() && command.features.empty()) drop.push_back(column);
  }
  if (!target && command.features.empty() && !command.target.empty())
    drop.push_back(command.target);
  add("--drop", join(drop, ","));
  add("--weights", command.weights);
  if (command.missing == Missing::kSkip) add("--missing", "skip");
  const ReadOptions& read = command.read;
  add("--from", read.format);
  if (read.header != Header::kSniff) add("--header", read.header == Header::kYes ? "yes" : "no");
  if (read.delimiter != 0) {
    add("--delimiter", read.delimiter == '\t'  ? "tab"
                       : read.delimiter == ' ' ? "space"
                                               : std::string(1, read.delimiter));
  }
  std::vector<std::string> kinds;
  for (const auto& [column, kind] : read.kinds) {
    kinds.push_back(fmt::format("{}={}", column, kKindNames[static_cast<std::size_t>(kind)]));
  }
  for (const auto& [column, form] : read.forms) kinds.push_back(column + "=" + form);
  add("--schema", join(kinds, ","));
  std::vector<std::string> parts;
  for (const DatePart part : read.date_parts) parts.emplace_back(word_of(part));
  add("--date-parts", join(parts, ","));
  add("--names", join(read.names, ","));
  for (const auto& [name, value] : trial.options) {
    std::string word = to_text(value);
    std::erase(word, '\'');
    if (!std::holds_alternative<Array>(value)) add(flag_of(name), word);
  }
  return text + " -o best.craton";
}

}  // namespace craton::cli
