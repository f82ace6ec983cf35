#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/data.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "craton/core/error.h"
#include "craton/core/files.h"
#include "craton/io/formats.h"

namespace craton::cli {
namespace {

// What the format cannot say is said here.
std::vector<Note> losses(const Format& format, const Schema& schema) {
  std::vector<Note> notes;
  const bool named = schema.names() != numbered_schema(schema.size()).names();
  if (!format.keeps_names && named) {
    notes.push_back({"lost-names", fmt::format("{} files have no column names", format.name)});
  }
  for (const Column& column : schema.columns) {
    if (format.keeps_levels || column.kind != ColumnKind::kCategory) continue;
    constexpr std::size_t kMostLevels = 8;
    std::string codes;
    for (std::size_t i = 0; i < std::min(kMostLevels, column.levels.size()); ++i) {
      codes += fmt::format("{}{} = {}", i == 0 ? "" : ", ", i, column.levels[i]);
    }
    if (column.levels.size() > kMostLevels) codes += ", ...";
    notes.push_back({"lost-levels", fmt::format("wrote the category column '{}' as codes: {}",
                                                column.name, codes)});
  }
  return notes;
}

// Moves a column of a dense table to the targets.
void take_target(Table& table, const std::string& name) {
  if (!table.sparse.offsets.empty()) {
    throw InputError(Code::kNotAble, {.file = table.name},
                     "columns of sparse files have no names to choose a target by",
                     "Leave --target out.");
  }
  const Index column = table.schema.find(name);
  if (column < 0) {
    const std::vector<std::string> names = table.schema.names();
    const std::string near = did_you_mean(name, names);
    throw InputError(Code::kUnknownName, {.file = table.name},
                     fmt::format("there is no column '{}', which --target names", name),
                     near.empty() ? fmt::format("The columns are: {}.", join(names)) : near);
  }
  const Index rows = table.x.rows(), cols = table.x.cols();
  table.targets.clear();
  double* to = table.x.values.data();
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const double value = table.x.values[usize(i * cols + j)];
      if (j == column) {
        table.targets.push_back(value);
      } else {
        *to++ = value;
      }
    }
  }
  table.x.values.resize(usize(rows * (cols - 1)));
  table.x.shape = {rows, cols - 1};
  table.schema.columns.erase(table.schema.columns.begin() + column);
}

void write(const Format& format, Source& source, const Command& command) {
  const std::string& path = command.output;
  if (path == "-") return format.write(source, print);
  ConsoleProgress progress(command, source.shape().rows);
  FileWriter file(path);
  format.write(source, [&](std::string_view text) {
    if (!progress.keep_going()) throw Interrupted();
    file.append(text);
  });
  progress.finish();
  file.commit();
}

}  // namespace

int convert(const Command& command) {
  const Format& format =
      command.to.empty() ? format_to_write(command.output) : find_format(command.to);
  if (format.write == nullptr) {
    throw InputError(Code::kBadOption, {}, fmt::format("the format {} is not written", format.name),
                     "Write npy instead.");
  }
  check_writable(command.output);
  Table table = read_any_table(command.data, command.from);
  if (!command.target.empty()) take_target(table, command.target);
  const std::string name = command.output == "-" ? "stdout" : command.output;
  if (!command.quiet) {
    complain(table.notes, "note", table.name);
    complain(losses(format, table.schema), "note", name);
  }
  MemorySource source = table.source();
  write(format, source, command);
  if (command.output == "-" || command.quiet) return kOk;
  const Index columns = ssize(written_columns(source));
  if (command.json) {
    print_json(Json::object({{"file", name},
                             {"format", format.name},
                             {"rows", source.shape().rows},
                             {"columns", columns}}));
  } else {
    print(fmt::format("{}: {}, {}, as {}\n", name, plural(source.shape().rows, "row"),
                      plural(columns, "column"), format.name));
  }
  return kOk;
}

}  // namespace craton::cli
