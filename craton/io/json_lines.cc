#include "craton/io/json_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/json.h"
#include "craton/io/encoding.h"
#include "craton/io/levels.h"
#include "craton/io/lines.h"
#include "craton/io/number.h"

// Values are kept with their row and column until all keys are known, then laid out: memory follows
// the values that are there, and a table that would be nearly empty is refused before it is made.

namespace craton {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// Cells that no object has cost 8 bytes each: so many are let pass, then values must be there.
constexpr Index kMostEmptyCells = Index{1} << 24, kMostCellsPerValue = 100;

struct ColumnState {
  std::string name;
  Index first_line = 0;                      // of a value that is not null; 0: none yet
  bool text = false;                         // what that one is
  std::map<std::string, double> codes = {};  // of texts, in the order they appeared
};

struct ParsedCell {
  Index row;
  std::size_t column;
  double value;
};

class JsonLinesParser {
 public:
  JsonLinesParser(Input& input, const ReadOptions& options) : lines_(input), options_(options) {}

  Table parse() {
    for (std::string_view line; lines_.next(line);) {
      std::string_view rest = line;
      if (next_word(rest).empty()) continue;
      check_utf8(line, lines_.file(), lines_.line());
      const Json json = parse_json(line, lines_.file(), lines_.line());
      const auto* object = std::get_if<Json::Object>(&json.value);
      if (object == nullptr) {
        fail("", Code::kBadFile, "this line is not an object", kForm);
      }
      for (const auto& [name, value] : *object) add(name, value);
      ++rows_;
    }
    if (rows_ == 0) {
      throw InputError(Code::kNoRows, {.file = lines_.file()}, "the file has no rows", kForm);
    }
    return table();
  }

 private:
  static constexpr const char* kForm = "A line looks like this: {\"height\": 1.7, \"sex\": \"f\"}";

  [[noreturn]] void fail(const std::string& column, Code code, const std::string& what,
                         const std::string& fix) const {
    throw InputError(code, {.file = lines_.file(), .line = lines_.line(), .column = column}, what,
                     fix);
  }

  void add(const std::string& name, const Json& json) {
    const auto [known, is_new] = found_.try_emplace(name, columns_.size());
    if (is_new) columns_.push_back({.name = name});
    if (std::holds_alternative<std::nullptr_t>(json.value)) return;
    ColumnState& column = columns_[known->second];
    const std::string* text = std::get_if<std::string>(&json.value);
    if (column.first_line == 0) {
      column.first_line = lines_.line();
      column.text = text != nullptr;
    }
    if (column.text != (text != nullptr)) {
      fail(name, Code::kNotANumber,
           text != nullptr ? fmt::format("the text {} stands among numbers", craton::quoted(*text))
                           : "a number stands among texts",
           fmt::format("Make them all {}, as on line {}.", column.text ? "texts" : "numbers",
                       column.first_line));
    }
    const double value = text != nullptr ? code(column, *text) : number(name, json);
    cells_.push_back({rows_, known->second, value});
  }

  static double code(ColumnState& column, const std::string& text) {
    return column.codes.try_emplace(text, static_cast<double>(column.codes.size())).first->second;
  }

  double number(const std::string& name, const Json& json) const {
    if (const bool* flag = std::get_if<bool>(&json.value)) return *flag ? 1 : 0;
    if (const double* real = std::get_if<double>(&json.value)) return *real;
    constexpr Index kMostWhole = Index{1} << 53;  // beyond it a double skips integers
    if (const Index* whole = std::get_if<Index>(&json.value)) {
      if (*whole >= -kMostWhole && *whole <= kMostWhole) return static_cast<double>(*whole);
      fail(name, Code::kNotANumber, fmt::format("the integer {} is beyond 2^53", *whole),
           "Write it as a text if it is a name, or as 1e17 if it may be rounded.");
    }
    fail(name, Code::kBadFile, "the value is a list or an object",
         "Give each of its values a key of its own.");
  }

  Table table() {
    const Index cols = ssize(columns_);
    Index cells = 0;
    const bool overflow = __builtin_mul_overflow(rows_, cols, &cells);
    if (cols == 0 || cols > kMaxColumns || overflow ||
        (cells > kMostEmptyCells && cells / kMostCellsPerValue > ssize(cells_))) {
      throw InputError(Code::kBadShape, {.file = lines_.file()},
                       fmt::format("{} objects with {} different keys and {} values are no table",
                                   rows_, cols, ssize(cells_)),
                       "Give the objects the same keys.");
    }
    Table table;
    table.name = lines_.file();
    table.x.shape = {rows_, cols};
    table.x.values.assign(usize(cells), kAbsent);
    std::vector<std::vector<double>> sorted;  // the code of a text by the one it had so far
    for (const ColumnState& column : columns_) {
      Column& made = table.schema.columns.emplace_back();
      made.name = column.name;
      sorted.emplace_back(column.codes.size());
      if (!column.text) continue;
      made.kind = ColumnKind::kCategory;
      for (const auto& [text, code] : column.codes) {
        sorted.back()[static_cast<std::size_t>(code)] = static_cast<double>(made.levels.size());
        made.levels.push_back(text);
      }
    }
    for (const ParsedCell& cell : cells_) {
      const bool text = columns_[cell.column].text;
      table.x.values[usize(cell.row * cols) + cell.column] =
          text ? sorted[cell.column][static_cast<std::size_t>(cell.value)] : cell.value;
    }
    move_texts(table);
    return table;
  }

  // Whether a column of words is one of text: that is asked for, or they are too many for a
  // category.
  bool is_text(const ColumnState& column, Index values) const {
    if (!column.text || column.name == options_.labels) return false;
    if (std::ranges::find(options_.texts, column.name) != options_.texts.end()) return true;
    const auto& words = options_.categories;
    if (!options_.find_texts || std::ranges::find(words, column.name) != words.end()) return false;
    return ssize(column.codes) > kMostLevels || 2 * ssize(column.codes) > values;
  }

  // Columns of text leave the matrix.
  void move_texts(Table& table) const {
    std::vector<Index> values(columns_.size());
    for (const ParsedCell& cell : cells_) ++values[cell.column];
    std::vector<std::size_t> kept;
    const std::size_t cols = columns_.size();
    Schema schema;
    for (std::size_t j = 0; j < cols; ++j) {
      Column& column = table.schema.columns[j];
      if (!is_text(columns_[j], values[j])) {
        kept.push_back(j);
        schema.columns.push_back(std::move(column));
        continue;
      }
      TextArray& texts = table.texts.emplace_back();
      for (std::size_t i = 0; i < usize(rows_); ++i) {
        const double code = table.x.values[i * cols + j];
        texts.add(std::isnan(code) ? "" : column.levels[static_cast<std::size_t>(code)]);
      }
      schema.texts.push_back({column.name, ColumnKind::kText});
    }
    if (table.texts.empty()) {
      table.schema.columns = std::move(schema.columns);
      return;
    }
    Array x{{rows_, ssize(kept)}, {}};
    for (std::size_t i = 0; i < usize(rows_); ++i) {
      for (const std::size_t j : kept) x.values.push_back(table.x.values[i * cols + j]);
    }
    table.x = std::move(x);
    table.schema = std::move(schema);
  }

  LineReader lines_;
  const ReadOptions& options_;
  Index rows_ = 0;
  std::vector<ColumnState> columns_;
  std::map<std::string, std::size_t> found_;
  std::vector<ParsedCell> cells_;
};

}  // namespace

Table parse_json_lines(Input& input, const ReadOptions& options) {
  return JsonLinesParser(input, options).parse();
}

void write_json_lines(Source& source, Sink sink) {
  SinkBuffer out(sink);
  const std::vector<Column> columns = written_columns(source);
  std::vector<std::string> keys;
  for (const Column& column : columns) keys.push_back(write_json(column.name) + ":");
  read_dense_rows(source, [&](Index number, std::span<const double> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      out.text += j == 0 ? '{' : ',';
      out.text += keys[j];
      const std::string* level = level_of(columns[j], row[j]);
      if (std::isinf(row[j])) {
        throw InputError(Code::kNotFinite,
                         {.file = source.name(), .row = number, .column = columns[j].name},
                         "JSON has no infinities", "Write another format, or leave the row out.");
      }
      if (level != nullptr) {
        out.text += write_json(*level);
      } else if (std::isnan(row[j])) {
        out.text += "null";
      } else {
        append_number(out.text, row[j]);
      }
    }
    out.text += "}\n";
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
