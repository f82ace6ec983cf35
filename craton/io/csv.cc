#include "craton/io/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "craton/core/error.h"
#include "craton/core/row_groups.h"
#include "craton/core/tasks.h"
#include "craton/io/csv_cut.h"
#include "craton/io/csv_faults.h"
#include "craton/io/csv_plan.h"

// Blocks of whole records are read one after another and parsed beside each other; each becomes a
// group of rows. What a block cannot know (its first line, its first row, the codes of levels that
// others met) is put right at the end, in the order of the blocks, so that the result does not
// depend on who parsed what. Memory: a block and its rows for each worker, the levels, 100 bytes
// for each block, and the rows themselves up to ReadOptions::memory.

namespace craton {
namespace {

constexpr Index kFront = Index{1} << 20;  // what tells the format

struct ParsedBlock {
  Index number = 0, rows = 0, lines = 0, blank_tail = 0, first_tail_line = 0;
  double first = 0;       // of the leading column, if it may hold row names
  bool counts_up = true;  // by one from there
  std::vector<BadCells> bad = {};
};

struct Worker {
  CsvBlock block;
  CsvBlockParser parser;
  std::vector<ParsedBlock> done = {};
};

void count_up(ParsedBlock& block, const CsvRows& rows, Index stride) {
  for (Index i = 0; i < block.rows; ++i) {
    const double value = rows.values[usize(i * stride)];
    if (i == 0) block.first = value;
    block.counts_up &= value == block.first + static_cast<double>(i);
  }
}

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
  void parse_blocks(const Exec& exec);
  void chain_blocks(const Failure& failure);
  void add_bad(const BadCells& bad, Index first_line);
  std::vector<BadCells> judge_bad_cells();
  Index missing(Index column) const;
  std::string reason_to_ignore(Index column, const MergedLevels& levels, bool full) const;

  std::unique_ptr<Input> input_;
  const ReadOptions& options_;
  RecordCutter cutter_;
  CsvPlan plan_;
  bool small_ = false;  // one block: no work for others
  std::vector<Worker> workers_;
  std::unique_ptr<RowGroups> groups_;
  std::vector<BadCells> bad_;  // lines of the file
  bool counts_up_ = true;
  Index dropped_ = 0;  // blank lines at the end that became rows
};

std::vector<BadCells> Reading::run(const Exec& exec) {
  cutter_.skip(plan_.data_offset);
  cutter_.set_delimiter(plan_.delimiter);
  parse_blocks(exec);
  return judge_bad_cells();
}

void Reading::parse_blocks(const Exec& exec) {
  const CsvLayout layout = plan_.layout();
  const int count = small_ ? 1 : worker_count(exec);
  for (int i = 0; i < count; ++i)
    workers_.push_back({.block = {}, .parser = CsvBlockParser(layout)});
  groups_ = std::make_unique<RowGroups>(layout.kept(), options_.memory, options_.temporary_folder);
  const auto parse = [&](Task task) {
    Worker& worker = workers_[usize(task.worker)];
    CsvRows rows = worker.parser.parse(worker.block.text());
    ParsedBlock block{.number = task.number,
                      .rows = rows.group.rows,
                      .lines = rows.group.lines,
                      .blank_tail = rows.blank_tail,
                      .first_tail_line = rows.first_tail_line,
                      .bad = std::move(rows.bad)};
    if (plan_.columns[0].row_names && plan_.columns[0].kind == ColumnKind::kNumber) {
      count_up(block, rows, layout.kept());
    }
    worker.done.push_back(std::move(block));
    rows.group.coder = task.worker;
    groups_->add(task.number, std::move(rows.group), rows.values);
  };
  const Failure failure = run_until(
      count, exec, [&](Task task) { return cutter_.next(workers_[usize(task.worker)].block); },
      parse);
  chain_blocks(failure);
}

// In the order of the file: lines and rows are counted, and the first thing that is wrong is
// thrown.
void Reading::chain_blocks(const Failure& failure) {
  std::vector<ParsedBlock*> blocks;
  for (Worker& worker : workers_) {
    for (ParsedBlock& block : worker.done) blocks.push_back(&block);
  }
  std::sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->number < b->number; });

  FaultReporter report(plan_, input_->name());
  Index line = plan_.data_line, rows = 0, blank_line = -1;
  const bool one_column = plan_.columns.size() == 1;
  for (const ParsedBlock* block : blocks) {
    if (failure.error && block->number > failure.task) break;
    if (!one_column && blank_line >= 0 && block->rows > 0) report.blank(blank_line, rows);
    if (block->blank_tail > 0 && blank_line < 0) blank_line = line + block->first_tail_line;
    if (block->rows > 0) {
      counts_up_ &= block->counts_up &&
                    (rows == 0 ? block->first == 0 || block->first == 1
                               : block->first == blocks[0]->first + static_cast<double>(rows));
    }
    for (const BadCells& bad : block->bad) add_bad(bad, line);
    rows += block->rows;
    line += block->lines;
    dropped_ = block->blank_tail == block->rows ? dropped_ + block->rows : block->blank_tail;
  }
  if (failure.error) {
    try {
      std::rethrow_exception(failure.error);
    } catch (const CsvFault& fault) {
      if (!one_column && blank_line >= 0) report.blank(blank_line, rows);
      report.fault(fault, line, rows);
    }
  }
  if (!one_column) dropped_ = 0;
  groups_->finish(plan_.data_line, dropped_);
}

void Reading::add_bad(const BadCells& bad, Index first_line) {
  auto at = std::find_if(bad_.begin(), bad_.end(),
                         [&](const BadCells& known) { return known.column == bad.column; });
  if (at == bad_.end()) {
    bad_.push_back(bad);
    bad_.back().line += first_line;
  } else {
    at->count += bad.count;
  }
}

Index Reading::missing(Index column) const {
  Index count = column == 0 ? -dropped_ : 0;
  for (const Worker& worker : workers_) count += worker.parser.missing(column);
  return count;
}

std::vector<BadCells> Reading::judge_bad_cells() {
  std::sort(bad_.begin(), bad_.end(), [](auto& a, auto& b) { return a.line < b.line; });
  const FaultReporter report(plan_, input_->name());
  for (const BadCells& bad : bad_) {
    const Index present = groups_->rows() - missing(bad.column);
    const bool chosen = plan_.columns[usize(bad.column)].chosen;
    if (chosen || is_mistake(bad.count, present)) report.bad_cells(bad, present);
  }
  return bad_;
}

// Why a column stays out of the table; "" if it does not.
std::string Reading::reason_to_ignore(Index j, const MergedLevels& levels, bool full) const {
  const CsvColumn& column = plan_.columns[usize(j)];
  const Index rows = groups_->rows();
  if (!column.ignored.empty()) return column.ignored;
  if (column.chosen && column.kind != ColumnKind::kCategory) return "";
  if (column.kind == ColumnKind::kNumber) {
    if (column.row_names && counts_up_) {
      return fmt::format("ignored the column {}, which holds row names", shown(column.name));
    }
    if (column.nameless && rows > 0 && missing(j) == rows) {
      return fmt::format("ignored the column {}, which has neither name nor values",
                         shown(column.name));
    }
    return "";
  }
  const Index count = ssize(levels.texts);
  if (column.chosen && !full && count <= kMostChosenLevels) return "";
  if (column.chosen) {
    throw InputError(
        Code::kUnsupported, {.file = input_->name(), .column = column.name},
        fmt::format("more than {} levels are too many for a category", kMostChosenLevels),
        fmt::format("Leave the column out: --schema '{}=ignore'.", column.name));
  }
  const bool category = column.kind == ColumnKind::kCategory && !full && count <= kMostLevels &&
                        2 * count <= rows - missing(j);
  if (category) return "";
  return column.sample.big_integer
             ? fmt::format(
                   "ignored the column {}: {} on line {} is an integer beyond 2^53, which "
                   "numbers do not hold exactly",
                   shown(column.name), column.sample.text, column.sample.line)
             : fmt::format("ignored the text column {}: {} on line {} is not a number",
                           shown(column.name), shown(column.sample.text), column.sample.line);
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
    MergedLevels levels;
    bool full = false;
    if (column.kind == ColumnKind::kCategory) {
      std::vector<const Levels*> all;
      for (const Worker& worker : workers_) {
        all.push_back(&worker.parser.levels(j));
        full |= all.back()->full();
      }
      if (!full) levels = merge_levels(all);
    }
    const std::string reason = reason_to_ignore(j, levels, full);
    if (!reason.empty()) table.notes.push_back({"ignored-column", reason});
    if (stored && reason.empty()) {
      numbers += column.kind == ColumnKind::kNumber;
      schema.columns.push_back({column.name, column.kind, std::move(levels.texts)});
      columns.push_back({from, std::move(levels.codes)});
    }
    from += stored;
  }
  table.guess = describe_guess(plan_, groups_->rows(), numbers, schema.size() - numbers);
  shorten_notes(table.notes);
  table.source = std::make_unique<GroupedSource>(std::move(groups_), std::move(columns),
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
  const Shape shape = opened.source->shape();
  table.x = {{shape.rows, shape.cols}, std::vector<double>(usize(shape.rows * shape.cols))};
  Block block;
  Chunk chunk;
  opened.source->fetch({0, shape.rows}, block);
  opened.source->decode(block, chunk);
  const Dense<double> all = std::get<Dense<double>>(chunk.x);
  std::copy_n(all.data, table.x.values.size(), table.x.values.data());
  return table;
}

}  // namespace craton
