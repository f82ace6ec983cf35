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
  Reading(Input& input, const ReadOptions& options, Index block_bytes)
      : input_(&input), options_(options), cutter_(input, block_bytes) {
    cutter_.set_dialect({',', options.quotes != Quotes::kNone});
    const Index line = skip_to_first_record(cutter_, input.name());
    const std::string_view front = cutter_.peek(kFront);
    plan_ = plan_csv(without_blank_end(front), line, input.name(), options);
    small_ = cutter_.peeked_all() && ssize(front) <= block_bytes;
  }

  // What an earlier reading found: words where there seemed to be numbers, texts that are no words.
  struct Finds {
    std::vector<BadCells> words = {};
    std::vector<Index> texts = {};
    bool any() const { return !words.empty() || !texts.empty(); }
    void add(const Finds& more) {
      words.insert(words.end(), more.words.begin(), more.words.end());
      texts.insert(texts.end(), more.texts.begin(), more.texts.end());
    }
  };
  void take(const Finds& finds) {
    for (const BadCells& bad : finds.words) {
      CsvColumn& column = plan_.columns[usize(bad.column)];
      column.kind = ColumnKind::kCategory;
      column.form = {};
      column.row_names = column.doubled = false;
      column.sample = {bad.text, bad.line, bad.big_integer};
    }
    for (const Index j : finds.texts) {
      plan_.columns[usize(j)].kind = ColumnKind::kText;
      plan_.columns[usize(j)].taken = true;
    }
  }

  // Parses everything. Returns what is otherwise than it seemed.
  Finds run(const Exec& exec);
  OpenedTable result();
  void let_go() { parsed_ = {}; }

 private:
  Message reason_to_ignore(Index column) const;
  bool is_text(Index column) const;

  Input* input_;
  const ReadOptions& options_;
  RecordCutter cutter_;
  CsvPlan plan_;
  bool small_ = false;  // one block: no work for others
  ParsedCsv parsed_ = {};
};

Reading::Finds Reading::run(const Exec& exec) {
  cutter_.skip(plan_.data_offset);
  cutter_.set_dialect(plan_.dialect());
  const int workers = small_ ? 1 : worker_count(exec);
  parsed_ = parse_blocks(*input_, cutter_, plan_, options_, workers, exec);
  const FaultReporter report(plan_, input_->name());
  for (const BadCells& bad : parsed_.bad) {
    const Index present = parsed_.groups->rows() - parsed_.columns[usize(bad.column)].missing;
    const bool chosen = plan_.columns[usize(bad.column)].chosen;
    if (chosen || is_mistake(bad.count, present)) report.bad_cells(bad, present);
  }
  Finds finds{.words = parsed_.bad};
  for (Index j = 0; j < ssize(plan_.columns) && plan_.finds_texts; ++j) {
    if (is_text(j)) finds.texts.push_back(j);
  }
  return finds;
}

// A column of words that are too many for a category.
bool Reading::is_text(Index j) const {
  const CsvColumn& column = plan_.columns[usize(j)];
  return column.kind == ColumnKind::kCategory && !column.chosen && column.wordy &&
         !reason_to_ignore(j).empty();
}

// Why a column stays out of the table; "" if it does not.
Message Reading::reason_to_ignore(Index j) const {
  const CsvColumn& column = plan_.columns[usize(j)];
  const auto& [missing, levels, full] = parsed_.columns[usize(j)];
  const Index rows = parsed_.groups->rows();
  if (!column.ignored.empty()) return column.ignored;
  if (column.taken) return "";
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
  const CsvLayout layout = plan_.layout();
  std::vector<Column> parts;
  for (Index j = 0; j < ssize(plan_.columns); ++j) {
    const CsvColumn& column = plan_.columns[usize(j)];
    const bool stored = column.kind == ColumnKind::kNumber || column.kind == ColumnKind::kCategory;
    const Message reason = reason_to_ignore(j);
    if (!reason.empty()) table.notes.push_back({"ignored-column", reason});
    if (column.taken || layout.has_text(j)) {
      schema.texts.push_back({column.name, ColumnKind::kText});
    }
    if (stored && reason.empty()) {
      auto& [missing, levels, full] = parsed_.columns[usize(j)];
      numbers += column.kind == ColumnKind::kNumber;
      schema.columns.push_back({column.name, column.kind, std::move(levels.texts)});
      if (column.form.kind != CellKind::kPlain) {
        table.forms.push_back({column.name, column.name, column.form});
      }
      columns.push_back({from, std::move(levels.codes), missing > 0});
      for (Index k = 1; k < layout.values_of(j); ++k) {
        const std::string part(word_of(plan_.date_parts[usize(k - 1)]));
        ++numbers;
        schema.columns.push_back({.name = column.name + "." + part});
        table.forms.push_back({schema.columns.back().name, column.name, column.form});
        columns.push_back({from + k, {}, missing > 0});
        parts.push_back(schema.columns.back());
      }
    }
    ColumnKind kind = column.kind;
    if (!reason.empty()) {
      const bool text = kind == ColumnKind::kCategory || kind == ColumnKind::kText;
      kind = text ? ColumnKind::kText : ColumnKind::kIgnore;
    }
    table.in_file.push_back({column.name, kind});
    for (Column& part : parts) table.in_file.push_back(std::move(part));
    parts.clear();
    from += layout.values_of(j);
  }
  table.guess = describe_guess(plan_, parsed_.groups->rows(), numbers, schema.size() - numbers,
                               ssize(schema.texts));
  shorten_notes(table.notes);
  table.source = std::make_unique<GroupedSource>(std::move(parsed_.groups), std::move(columns),
                                                 std::move(schema), input_->name());
  return table;
}

}  // namespace

namespace {

// As often as it takes to know what all columns are; the first time from `first`.
OpenedTable read_all_of(Input& first, OpenText open, const ReadOptions& options, const Exec& exec,
                        Index block_bytes) {
  std::unique_ptr<Input> again;
  Reading::Finds finds;
  for (;;) {
    Reading reading(again ? *again : first, options, block_bytes);
    reading.take(finds);
    const Reading::Finds more = reading.run(exec);
    if (!more.any()) return reading.result();
    std::unique_ptr<Input> next = open(1);
    if (next == nullptr && !more.words.empty()) fail_to_read_twice(more.words.front(), "stdin");
    if (next == nullptr) return reading.result();
    finds.add(more);
    reading.let_go();  // of the memory of its rows, before the next
    again = std::move(next);
  }
}

void read_to_end(Input& input) {
  Bytes some(usize(kFront));
  while (input.read(some) > 0) continue;
}

}  // namespace

OpenedTable read_csv(OpenText open, const ReadOptions& options, const Exec& exec,
                     Index block_bytes) {
  const std::unique_ptr<Input> first = open(0);
  try {
    return read_all_of(*first, open, options, exec, block_bytes);
  } catch (const UnpairedQuotes& error) {
    const bool texts = options.find_texts || !options.texts.empty();
    if (options.quotes != Quotes::kSniff || !texts) throw;
    std::unique_ptr<Input> again;
    ReadOptions without = options;
    without.quotes = Quotes::kNone;
    OpenedTable table;
    try {
      read_to_end(*first);  // what comes through a pipe is kept as it is read
      again = open(1);
      if (again != nullptr) table = read_all_of(*again, open, without, exec, block_bytes);
    } catch (const InputError&) {
    }
    if (table.source == nullptr || table.source->schema().texts.empty()) throw;
    const Index line = error.place().line;
    table.notes.push_back(
        {"quotes-as-text",
         {"took quotes for letters, as {} does: they do not pair{}", Ref::flag("quotes", "none"),
          line < 0 ? "" : fmt::format(" (line {})", line)}});
    return table;
  }
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
  table.texts = read_texts(*opened.source);
  return table;
}

}  // namespace craton
