#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "cli/parsing/data.h"
#include "cli/parsing/flags.h"
#include "cli/parsing/values.h"
#include "cli/showing/output.h"
#include "cli/showing/progress.h"
#include "cli/verbs.h"
#include "craton/io/split_lines.h"
#include "craton/select/test_rows.h"
#include "craton/tables/bind_columns.h"
#include "craton/tables/labels.h"

// A file in two: rows to learn from, and rows to test on.

namespace craton::cli {
namespace {

void refuse_existing(const Command& command, const std::string& path) {
  struct stat status {};
  if (command.overwrite || ::stat(path.c_str(), &status) != 0) return;
  throw InputError(Code::kCannotWrite, {.file = path}, "the file is there already",
                   "Give another name, or --overwrite.");
}

void check_outputs(const Command& command) {
  if (command.output == "-" || command.second_output == "-") {
    refuse("two files do not both go to stdout", "Give two names of files.");
  }
  if (command.data == "-") {
    refuse("the data are read twice, which standard input cannot be", "Give the name of a file.");
  }
  for (const std::string& path : {command.output, command.second_output}) {
    check_writable(path);
    refuse_existing(command, path);
  }
}

std::vector<double> column_of(const OpenedTable& table, const std::string& name,
                              const std::string& flag) {
  if (name.empty()) return {};
  const Index from = find_column(*table.source, name, Code::kUnknownName, flag + " names");
  View column(*table.source);
  column.select({.columns = {{.from = from}}});
  std::vector<double> values = read_all(column).values;
  const auto missing = std::ranges::find_if(values, [](double v) { return std::isnan(v); });
  if (missing == values.end()) return values;
  Place place = table.source->place_of(missing - values.begin());
  place.column = name;
  throw InputError(Code::kNotFinite, place, "the value is missing (NaN)",
                   fmt::format("{} needs a value in every row: fill it in.", flag));
}

// Rows without a label are a class of their own: -1.
std::vector<std::int32_t> labels_by(const OpenedTable& table, const std::string& name,
                                    const Exec& exec) {
  if (name.empty()) return {};
  const Index from = find_column(*table.source, name, Code::kUnknownName, "--stratify names");
  const Classes classes = find_classes(*table.source, from, exec);
  View column(*table.source);
  column.select({.columns = {{.from = from}}});
  std::vector<std::int32_t> labels;
  for (const double value : read_all(column).values) labels.push_back(classes.label(value));
  return labels;
}

std::string how(const Command& command) {
  const Validation& v = command.validation;
  if (!v.time.empty()) return "the latest by " + v.time;
  std::string text = "drawn";
  if (!v.groups.empty()) text += ", groups of " + v.groups;
  if (!command.target.empty()) text += ", stratified by " + command.target;
  return fmt::format("{}, seed {}", text, command.seed);
}

int run_split(const Command& command) {
  check_outputs(command);
  ConsoleProgress progress(command);
  const Exec exec{.threads = command.threads, .progress = &progress};
  ReadOptions read = command.read;
  for (const std::string& name : {command.target, command.validation.groups}) {
    if (!name.empty()) read.categories.push_back(name);
  }
  const OpenedTable table = open_table(command.data, read, exec);
  const Index rows = table.source->shape().rows;
  const std::vector<std::int32_t> labels = labels_by(table, command.target, exec);
  const std::vector<double> groups = column_of(table, command.validation.groups, "--groups"),
                            times = column_of(table, command.validation.time, "--time");
  const RowSet test = choose_test_rows({rows, labels, groups, times}, command.share,
                                       static_cast<std::uint64_t>(command.seed));
  const std::unique_ptr<Input> text = open_input(command.data);
  split_lines(*text, *table.source, test, command.output, command.second_output);
  progress.finish();
  const Index learned = rows - test.size();
  if (command.json) {
    print_json(Json::object(
        {{"rows", rows},
         {"train", Json::object({{"file", command.output}, {"rows", learned}})},
         {"test", Json::object({{"file", command.second_output}, {"rows", test.size()}})},
         {"seed", command.seed}}));
  } else if (!command.quiet) {
    print(field("data", fmt::format("{}: {}", table.source->name(), plural(rows, "row"))) +
          field("rows", how(command)) +
          field("train", fmt::format("{}: {}", command.output, plural(learned, "row"))) +
          field("test",
                fmt::format("{}: {}, {:.1f} %", command.second_output, plural(test.size(), "row"),
                            100 * static_cast<double>(test.size()) / static_cast<double>(rows))));
  }
  return kOk;
}

void add_split_flags(Flags& flags) {
  Command& command = flags.command();
  flags.word("DATA", command.data, "a text file of rows, such as CSV");
  flags.word("TRAIN", command.output, "the file to write, of rows to learn from");
  flags.word("TEST", command.second_output, "and of rows to test on");
  flags.read("--test", "SHARE", "of the rows to test on, between 0 and 1 (default 0.25)",
             [&command](const std::string& typed) { command.share = share_of("--test", typed); });
  flags.text("--stratify", command.target, "COLUMN", "both files have its classes in equal shares");
  flags.text("--groups", command.validation.groups, "COLUMN", "rows of one group stay together");
  flags.text("--time", command.validation.time, "COLUMN", "test on the latest rows by this column");
  flags.seed("seed of the rows that are drawn (default 0)");
  flags.yes("--overwrite", command.overwrite, "files of these names that are there");
  flags.read_options();
  flags.progress();
  flags.quiet("no text, no notes");
}

}  // namespace

extern constinit const Verb kSplit{
    .name = "split",
    .help = "Part a file into rows to learn from and rows to test on.",
    .example =
        "craton split examples/data/birds.csv train.csv test.csv --test 0.25 --stratify kind",
    .add = add_split_flags,
    .run = run_split,
};

}  // namespace craton::cli
