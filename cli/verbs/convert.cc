#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/base/files.h"
#include "craton/base/utf8.h"
#include "craton/io/csv_write.h"
#include "craton/io/formats.h"
#include "craton/tables/bind_columns.h"

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

// All columns but the target, which is one of them.
Selection with_target(const Source& source, const std::string& name, std::span<const Note> notes) {
  Selection selection;
  selection.targets = find_column(source, name, Code::kUnknownName, "--target names", notes);
  for (Index j = 0; j < source.shape().cols; ++j) {
    if (j != selection.targets) selection.columns.push_back({.from = j});
  }
  return selection;
}

// Dates as such, where the format has them.
void write(const Format& format, Source& source, std::span<const ColumnForm> forms, Sink sink) {
  if (format.name == "csv") return write_csv(source, ',', sink, forms);
  if (format.name == "tsv") return write_csv(source, '\t', sink, forms);
  format.write(source, sink);
}

void write(const Format& format, Source& source, std::span<const ColumnForm> forms,
           const Command& command, ConsoleProgress& progress) {
  const std::string& path = command.output;
  if (path == "-") {
    progress.finish();
    return write(format, source, forms, [](std::string_view text) { print(text); });
  }
  FileWriter file(path);
  write(format, source, forms, [&](std::string_view text) {
    if (!progress.keep_going()) throw Interrupted();
    file.append(text);
  });
  progress.finish();
  file.commit();
}

int run_convert(const Command& command) {
  const Format& format =
      command.to.empty() ? format_to_write(command.output) : find_format(command.to);
  if (format.write == nullptr) {
    throw InputError(Code::kBadOption, {}, fmt::format("the format {} is not written", format.name),
                     "Write npy instead.");
  }
  check_writable(command.output);
  ConsoleProgress progress(command);
  OpenedTable table =
      open_table(command.data, command.read, {.threads = command.threads, .progress = &progress});
  View source(*table.source);
  if (!command.target.empty()) {
    source.select(with_target(*table.source, command.target, table.notes));
  }
  const std::string name = command.output == "-" ? "stdout" : command.output;
  if (!command.quiet) {
    complain(table.notes, "note", source.name());
    complain(losses(format, source.schema()), "note", name);
  }
  write(format, source, table.forms, command, progress);
  if (command.output == "-") return kOk;
  const Index columns = ssize(written_columns(source));
  if (command.json) {
    print_json(Json::object({{"file", name},
                             {"format", format.name},
                             {"rows", source.shape().rows},
                             {"columns", columns}}));
  } else if (!command.quiet) {
    print(fmt::format("{}: {}, {}, as {}\n", printable(name), plural(source.shape().rows, "row"),
                      plural(columns, "column"), format.name));
  }
  return kOk;
}

void add_convert_flags(Flags& flags) {
  Command& command = flags.command();
  flags.word("IN", command.data, "a data file; '-' is stdin, a.npz:x one array of an archive");
  flags.word("OUT", command.output, "the file to write; '-' is stdout");
  flags.text("--to", command.to, "FORMAT", "of OUT, likewise; npz is only read (default: by name)");
  flags.text("--target", command.target, "COLUMN", "of IN, to be the label in a LIBSVM file");
  flags.read_options();
  flags.progress();
  flags.quiet("no notes");
}

}  // namespace

extern constinit const Verb kConvert{
    .name = "convert",
    .help = "Write a data file in another format.",
    .example = "craton convert examples/data/islands.csv islands.npy",
    .add = add_convert_flags,
    .run = run_convert,
};

}  // namespace craton::cli
