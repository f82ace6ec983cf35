#include "craton/io/csv_blocks.h"

#include <algorithm>

#include "craton/engine/tasks.h"
#include "craton/io/csv_faults.h"
#include "craton/tables/row_groups.h"

// Blocks of whole records are read one after another and parsed beside each other; each becomes a
// group of rows. What a block cannot know (its first line, its first row, the codes of levels that
// others met) is put right at the end, in the order of the blocks, so that the result does not
// depend on who parsed what. Memory: a block and its rows for each worker, the levels, 100 bytes
// for each block, and the rows themselves up to ReadOptions::memory.

namespace craton {
namespace {

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
  Index position = 0;  // in the file, behind the block
};

void count_up(ParsedBlock& block, const CsvRows& rows, Index stride) {
  for (Index i = 0; i < block.rows; ++i) {
    const double value = rows.values[usize(i * stride)];
    if (i == 0) block.first = value;
    block.counts_up &= value == block.first + static_cast<double>(i);
  }
}

std::vector<const ParsedBlock*> in_order(const std::vector<Worker>& workers) {
  std::vector<const ParsedBlock*> blocks;
  for (const Worker& worker : workers) {
    for (const ParsedBlock& block : worker.done) blocks.push_back(&block);
  }
  std::sort(blocks.begin(), blocks.end(), [](auto* a, auto* b) { return a->number < b->number; });
  return blocks;
}

void add_bad(std::vector<BadCells>& all, const BadCells& bad, Index first_line) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const BadCells& known) { return known.column == bad.column; });
  if (at == all.end()) {
    all.push_back(bad);
    all.back().line += first_line;
  } else {
    at->count += bad.count;
  }
}

// In the order of the file: lines and rows are counted, and the first thing that is wrong is
// thrown. Returns the number of blank lines at the end that became rows.
Index chain_blocks(std::span<const ParsedBlock* const> blocks, const Failure& failure,
                   const CsvPlan& plan, const std::string& name, ParsedCsv& parsed) {
  const FaultReporter report(plan, name);
  const bool one_column = plan.columns.size() == 1;
  Index line = plan.data_line, rows = 0, blank_line = -1, dropped = 0;
  for (const ParsedBlock* block : blocks) {
    if (failure.error && block->number > failure.task) break;
    if (!one_column && blank_line >= 0 && block->rows > 0) report.blank(blank_line, rows);
    if (block->blank_tail > 0 && blank_line < 0) blank_line = line + block->first_tail_line;
    if (block->rows > 0) {
      parsed.counts_up &=
          block->counts_up && (rows == 0 ? block->first == 0 || block->first == 1
                                         : block->first == blocks[0]->first + double(rows));
    }
    for (const BadCells& bad : block->bad) add_bad(parsed.bad, bad, line);
    rows += block->rows;
    line += block->lines;
    dropped = block->blank_tail == block->rows ? dropped + block->rows : block->blank_tail;
  }
  if (failure.error) {
    try {
      std::rethrow_exception(failure.error);
    } catch (const CsvFault& fault) {
      if (!one_column && blank_line >= 0) report.blank(blank_line, rows);
      report.fault(fault, line, rows);
    }
  }
  std::sort(parsed.bad.begin(), parsed.bad.end(), [](auto& a, auto& b) { return a.line < b.line; });
  return one_column ? dropped : 0;
}

ParsedColumn gather_column(std::span<const Worker> workers, Index column, bool category) {
  ParsedColumn result;
  std::vector<const Levels*> levels;
  for (const Worker& worker : workers) {
    result.missing += worker.parser.missing(column);
    levels.push_back(&worker.parser.levels(column));
    result.full |= category && levels.back()->full();
  }
  if (category && !result.full) result.levels = merge_levels(levels);
  return result;
}

}  // namespace

ParsedCsv parse_blocks(const Input& input, RecordCutter& cutter, const CsvPlan& plan,
                       const ReadOptions& options, int count, const Exec& exec) {
  const CsvLayout layout = plan.layout();
  const bool row_names = plan.columns[0].row_names && plan.columns[0].kind == ColumnKind::kNumber;
  std::vector<Worker> workers;
  for (int i = 0; i < count; ++i)
    workers.push_back({.block = {}, .parser = CsvBlockParser(layout)});
  ParsedCsv parsed;
  parsed.groups = std::make_unique<RowGroups>(layout.kept(), layout.texts(), options.memory,
                                              options.temporary_folder);
  const auto cut = [&](Task task) {
    Worker& worker = workers[usize(task.worker)];
    const bool more = cutter.next(worker.block);
    worker.position = input.position();
    return more;
  };
  const auto parse = [&](Task task) {
    Worker& worker = workers[usize(task.worker)];
    CsvRows rows = worker.parser.parse(worker.block.text());
    ParsedBlock block{.number = task.number,
                      .rows = rows.group.rows,
                      .lines = rows.group.lines,
                      .blank_tail = rows.blank_tail,
                      .first_tail_line = rows.first_tail_line,
                      .bad = std::move(rows.bad)};
    if (row_names) count_up(block, rows, layout.kept());
    worker.done.push_back(std::move(block));
    rows.group.coder = task.worker;
    parsed.groups->add(task.number, std::move(rows.group), rows.values, rows.texts);
    if (task.worker == 0 && exec.progress != nullptr) {  // the calling thread
      exec.progress->bytes(worker.position, input.size());
    }
  };
  const Failure failure = run_until(count, exec, cut, parse);
  const Index dropped = chain_blocks(in_order(workers), failure, plan, input.name(), parsed);
  parsed.groups->finish(plan.data_line, dropped);
  for (Index j = 0; j < ssize(plan.columns); ++j) {
    const bool category = plan.columns[usize(j)].kind == ColumnKind::kCategory;
    parsed.columns.push_back(gather_column(workers, j, category));
  }
  parsed.columns[0].missing -= dropped;
  return parsed;
}

}  // namespace craton
