#include "craton/io/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "craton/base/error.h"
#include "craton/io/csv_blocks.h"
#include "craton/io/csv_faults.h"
#include "craton/tables/row_groups.h"

namespace craton {
namespace {

constexpr Index kFront = Index{1} << 20;  // what tells the format

// Steps over what precedes the first record; returns its line.
Index skip_to_first_record(RecordCutter& cutter, const std::string& name) {
  std::string_view front = cutter.peek(kFront);
  check_is_text(front, name);
  const bool marked = front.starts_with("\xef\xbb\xbf");
  if (marked) front.remove_prefix(3);
  const std::size_t blank = std::min(front.find_first_not_of("\r\n"), front.size());
  const Index line = 1 + std::count(front.data(), front.data() + blank, '\n');
  if (front.find_first_not_of(" \r\n") == front.npos) {
    throw InputError(Code::kBadFile, {.file = name}, "the file is empty",
                     "A table has a header with names, then a line for each row.");
  }
  cutter.skip((marked ? 3 : 0) + blank);
  return line;
}

std::string_view without_blank_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \r\n") + 1);
}

// One reading of the text.
class Reading {
 public:
  Reading(std::unique_ptr<Input> input, const ReadOptions& options, Index block_bytes)
      : input_(std::move(input)), options_(options), cutter_(*input_, block_bytes) {
    const Index line = skip_to_first_record(cutter_, input_->name());
    const std::string_view front = cutter_.peek(kFront);
    plan_ = plan_csv(without_blank_end(front), line, input_->name(), options);
    small_ = cutter_.peeked_all() && ssize(front) <= block_bytes;
  }

  // Columns that an earlier reading took for numbers.
  void take_as_text(std::span<const BadCells> columns) {
    for (const BadCells& bad : columns) {
      CsvColumn& column = plan_.columns[usize(bad.column)];
      column.kind = ColumnKind::kCategory;
      column.row_names = false;
      column.sample = {bad.text, bad.line, bad.big_integer};
    }
  }

  // Parses everything. Returns the columns of numbers that are none after all.
  std::vector<BadCells> run(const Exec& exec);
  OpenedTable result();

 private:
  Message reason_to_ignore(Index column) const;

  std::unique_ptr<Input> input_;
  const ReadOptions& options_;
  RecordCutter cutter_;
  CsvPlan plan_;
  bool small_ = false;  // one block: no work for others
  ParsedCsv parsed_ = {};
};

std::vector<BadCells> Reading::run(const Exec& exec) {
  cutter_.skip(plan_.data_offset);
  cutter_.set_delimiter(plan_.delimiter);
  const int workers = small_ ? 1 : worker_count(exec);
  parsed_ = parse_blocks(*input_, cutter_, plan_, options_, workers, exec);
  const FaultReporter report(plan_, input_->name());
  for (const BadCells& bad : parsed_.bad) {
    const Index present = parsed_.groups->rows() - parsed_.columns[usize(bad.column)].missing;
    const bool chosen = plan_.columns[usize(bad.column)].chosen;
    if (chosen || is_mistake(bad.count, present)) report.bad_cells(bad, present);
  }
  return parsed_.bad;
}

// Why a column stays out of the table; "" if it does not.
Message Reading::reason_to_ignore(Index j) const {
  const CsvColumn& column = plan_.columns[usize(j)];
  const auto& [missing, levels, full] = parsed_.columns[usize(j)];
  const Index rows = parsed_.groups->rows();
  if (!column.ignored.empty()) return column.ignored;
  if (column.chosen && column.kind != ColumnKind::kCategory) return "";
  if (column.kind == ColumnKind::kNumber) {
    if (column.row_names && parsed_.counts_up) {
      return {"ignored the {}, which holds row names",
              Ref::column(column.name, shortened(column.name))};
    }
    if (column.nameless && rows > 0 && missing == rows) {
      return {"ignored the {}, which has neither name nor values",
              Ref::column(column.name, shortened(column.name))};
    }
    return "";
  }
  const Index count = ssize(levels.texts);
  if (column.chosen && !full && count <= kMostChosenLevels) return "";
  if (column.chosen) {
    throw InputError(
        Code::kUnsupported, {.file = input_->name(), .column = column.name},
        fmt::format("more than {} levels are too many for a category", kMostChosenLevels),
        {"Leave the column out: {}.",
         Ref::flag("schema", fmt::format("'{}=ignore'", column.name))});
  }
  const bool category = column.kind == ColumnKind::kCategory && !full && count <= kMostLevels &&
                        2 * count <= rows - missing;
  if (category) return "";
  return column.sample.big_integer
             ? Message(
                   "ignored the {}: {} on line {} is an integer beyond 2^53, which numbers do "
                   "not hold exactly",
                   Ref::column(column.name, shortened(column.name)), shown(column.sample.text),
                   column.sample.line)
             : Message("ignored the {}: {} on line {} is not a number",
                       Ref::text_column(column.name, shortened(column.name)),
                       shown(column.sample.text), column.sample.line);
}

OpenedTable Reading::result() {
  OpenedTable table;
  table.notes = plan_.notes;
  Schema schema;
  std::vector<GroupColumn> columns;
  Index from = 0, numbers = 0;
  for (Index j = 0; j < ssize(plan_.columns); ++j) {
    const CsvColumn& column = plan_.columns[usize(j)];
    const bool stored = column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kCategory;
    const Message reason = reason_to_ignore(j);
    if (!reason.empty()) table.notes.push_back({"ignored-column", reason});
    if (stored && reason.empty()) {
      auto& [missing, levels, full] = parsed_.columns[usize(j)];
      numbers += column.kind == ColumnKind::kNumber;
      schema.columns.push_back({column.name, column.kind, std::move(levels.texts)});
      columns.push_back({from, std::move(levels.codes), missing > 0});
    }
    ColumnKind kind = column.kind;
    if (!reason.empty()) {
      const bool text = kind == ColumnKind::kCategory || kind == ColumnKind::kText;
      kind = text ? ColumnKind::kText : ColumnKind::kIgnore;
    }
    table.in_file.push_back({column.name, kind});
    from += stored;
  }
  table.guess = describe_guess(plan_, parsed_.groups->rows(), numbers, schema.size() - numbers);
  shorten_notes(table.notes);
  table.source = std::make_unique<GroupedSource>(std::move(parsed_.groups), std::move(columns),
                                                 std::move(schema), input_->name());
  return table;
}

}  // namespace

OpenedTable read_csv(OpenText open, const ReadOptions& options, const Exec& exec,
                     Index block_bytes) {
  std::vector<BadCells> as_text;
  {
    Reading first(open(0), options, block_bytes);
    as_text = first.run(exec);
    if (as_text.empty()) return first.result();
    // The rows of this reading give their memory back before the second.
  }
  std::unique_ptr<Input> again = open(1);
  if (again == nullptr) fail_to_read_twice(as_text.front(), "stdin");
  Reading second(std::move(again), options, block_bytes);
  second.take_as_text(as_text);
  second.run(exec);
  return second.result();
}

Table parse_csv(std::string_view text, const std::string& name, const ReadOptions& options) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  ReadOptions in_memory = options;
  in_memory.memory = std::numeric_limits<Index>::max();
  const auto open = [&](int) { return memory_input(bytes, name); };
  OpenedTable opened = read_csv(open, in_memory, {});
  Table table;
  table.schema = opened.source->schema();
  table.name = name;
  table.notes = std::move(opened.notes);
  table.x = read_all(*opened.source);
  return table;
}

}  // namespace craton
