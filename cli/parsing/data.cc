#include "cli/parsing/data.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/showing/output.h"
#include "craton/model/model_file.h"

namespace craton::cli {
namespace {

bool fills(const Command& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const auto& option) {
    return option.first == "fill" && option.second != "none";
  });
}

}  // namespace

void PrintNotes::operator()(std::span<const Note> notes) const {
  if (!quiet_) complain(notes, "note", file_);
}

Roles roles_of(const Command& command) {
  return {.target = command.target,
          .text = command.text_column,
          .weights = command.weights,
          .groups = command.validation.groups,
          .time = command.validation.time,
          .features = command.features,
          .drop = command.drop,
          .keep = command.keep,
          .missing = command.missing,
          .measured = command.measures,
          .fitted = !command.model_file.empty() || !command.warm_start.empty(),
          .dense = command.draws};
}

Data read_to_fit(const Command& command, const Exec& exec) {
  return read_to_fit(command, open_to_fit(command, exec), exec);
}

OpenedTable open_to_fit(const Command& command, const Exec& exec) {
  const ModelInfo* const model = command.model.empty() ? nullptr : &find_model(command.model);
  return open_table(command.data, read_options(command.read, roles_of(command), model), exec);
}

Data read_to_fit(const Command& command, OpenedTable table, const Exec& exec, bool filled) {
  const PrintNotes tell(command, table.source->name());
  return table_to_fit(find_model(command.model), std::move(table), roles_of(command),
                      filled || fills(command), exec, tell);
}

Data read_for_model(const Command& command, const Fitted& fitted, Want want, const Exec& exec) {
  const Roles roles = roles_of(command);
  OpenedTable table = open_table(command.data, read_options(command.read, roles, fitted), exec);
  const PrintNotes tell(command, table.source->name());
  return table_for(fitted, std::move(table), roles, want, exec, tell);
}

Fitted read_model(const Command& command) {
  if (command.model_file == "-" && command.data == "-") {
    throw InputError(Code::kBadOption, {}, "the model and the data cannot both come from stdin",
                     "Give a file for one of them.");
  }
  return read_model(command.model_file);
}

Fitted read_model(const std::string& path) {
  return path == "-" ? load_model("/dev/stdin", "stdin") : load_model(path);
}

std::string describe(const Data& data) {
  const Schema& schema = data.schema();
  std::string text = fmt::format("{}: {}", data.name(), plural(data.size(), "row"));
  if (schema.size() > 0 || schema.texts.empty()) {
    text += fmt::format(", {} ({})", plural(schema.size(), "column"), listed(schema.names()));
  }
  if (!schema.texts.empty()) text += fmt::format(", texts of '{}'", schema.texts[0].name);
  return text + (data.weighted ? ", weighted" : "");
}

}  // namespace craton::cli
