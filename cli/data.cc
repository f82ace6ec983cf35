#include "cli/data.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "cli/output.h"
#include "craton/core/error.h"
#include "craton/core/model_file.h"
#include "craton/io/table_file.h"

namespace craton::cli {
namespace {

// Names to find columns by: all different, and not 1..d, as those without a header are called.
bool has_names(const Schema& schema) {
  std::vector<std::string> names = schema.names();
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return false;
  return std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.name.find_first_not_of("0123456789") != std::string::npos;
  });
}

bool contains(std::span<const std::string> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A column of numbers by name. `wanted_by` ends the sentence "there is no ..., which".
Index find_column(const Table& table, const std::string& name, Code code,
                  const std::string& wanted_by) {
  const Index column = table.schema.find(name);
  if (column >= 0) return column;
  const std::string what =
      fmt::format("there is no column of numbers '{}', which {}", name, wanted_by);
  for (const Note& note : table.notes) {
    if (note.text.find("'" + name + "'") == std::string::npos) continue;
    throw InputError(code, {.file = table.name}, what, "The reader " + note.text + ".");
  }
  const std::vector<std::string> names = table.schema.names();
  const std::string near = did_you_mean(name, names);
  throw InputError(
      code, {.file = table.name}, what,
      (near.empty() ? "" : near + " ") + fmt::format("The columns are: {}.", join(names)));
}

Index find_column_typed(const Table& table, const std::string& name, const char* flag) {
  return find_column(table, name, Code::kUnknownName, std::string(flag) + " names");
}

Table keep_columns(Table table, std::span<const Index> keep) {
  Table result;
  result.weights = std::move(table.weights);
  result.name = std::move(table.name);
  const Index rows = table.x.rows(), cols = ssize(keep);
  result.x.shape = {rows, cols};
  result.x.values.reserve(usize(rows * cols));
  for (const Index j : keep) result.schema.columns.push_back(table.schema.columns[usize(j)]);
  for (Index i = 0; i < rows; ++i) {
    const double* row = table.x.view().row(i);
    for (const Index j : keep) result.x.values.push_back(row[j]);
  }
  return result;
}

void take_weights(Table& table, const std::string& name) {
  if (name.empty()) return;
  const Index column = find_column_typed(table, name, "--weights");
  for (Index i = 0; i < table.x.rows(); ++i) {
    table.weights.push_back(table.x.view().row(i)[column]);
  }
}

}  // namespace

Table read_to_fit(const Command& command) {
  Table table = read_table(command.data);
  const bool chosen = !command.features.empty();  // then nobody wonders where the others are
  if (!command.quiet && !chosen) complain(table.notes, "note", table.name);
  take_weights(table, command.weights);
  for (const std::string& name : command.drop) find_column_typed(table, name, "--drop");
  std::vector<Index> keep;
  for (const std::string& name : command.features) {
    keep.push_back(find_column_typed(table, name, "--features"));
  }
  for (Index j = 0; j < table.schema.size() && !chosen; ++j) {
    const std::string& name = table.schema.name(j);
    if (name != command.weights && !contains(command.drop, name)) keep.push_back(j);
  }
  if (ssize(keep) == table.schema.size() && !chosen) return table;
  return keep_columns(std::move(table), keep);
}

Table read_for_model(const Command& command, const Schema& schema) {
  Table table = read_table(command.data);
  take_weights(table, command.weights);
  std::vector<Index> keep;
  if (!has_names(table.schema) || !has_names(schema)) {  // by position
    if (!command.quiet) complain(table.notes, "note", table.name);
    for (Index j = 0; j < table.schema.size(); ++j) {
      if (table.schema.name(j) != command.weights) keep.push_back(j);
    }
    table = keep_columns(std::move(table), keep);
    check_columns(table.source(), schema.size());
    table.schema = schema;
    return table;
  }
  for (const std::string& name : schema.names()) {
    keep.push_back(find_column(table, name, Code::kWrongColumns, "the model was fitted on"));
  }
  std::vector<std::string> extra = table.schema.names();
  std::erase_if(extra, [&](const std::string& name) {
    return schema.find(name) >= 0 || name == command.weights;
  });
  if (!extra.empty() && !command.quiet) {
    complain("note", fmt::format("{}: ignored {} that the model was not fitted on: {}", table.name,
                                 plural(ssize(extra), "column"), join(extra)));
  }
  return keep_columns(std::move(table), keep);
}

Fitted read_model(const Command& command) {
  if (command.model_file == "-" && command.data == "-") {
    throw InputError(Code::kBadOption, {}, "the model and the data cannot both come from stdin",
                     "Give a file for one of them.");
  }
  if (command.model_file != "-") return load_model(command.model_file);
  return load_model("/dev/stdin", "stdin");
}

double total_weight(const Table& table) {
  if (table.weights.empty()) return static_cast<double>(table.x.rows());
  return std::accumulate(table.weights.begin(), table.weights.end(), 0.0);
}

std::string describe(const Table& table) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> names = table.schema.names();
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    names.emplace_back("...");
  }
  return fmt::format("{}: {}, {} ({}){}", table.name, plural(table.x.rows(), "row"),
                     plural(table.schema.size(), "column"), join(names),
                     table.weights.empty() ? "" : ", weighted");
}

}  // namespace craton::cli
