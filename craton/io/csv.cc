#include "craton/io/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "craton/core/error.h"
#include "craton/io/csv_scan.h"
#include "craton/io/number.h"

// One pass over the text puts every column into one row-major array, the first record included;
// then, knowing all values, the header and the columns to keep are decided, and the array is packed
// in place. Linear in the bytes; no allocation for a field.

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

enum class Cell { kNumber, kMissing, kText };

Cell parse_cell(std::string_view text, double& value) {
  value = kNaN;
  if (text.empty() || text == "NA" || text == "?") return Cell::kMissing;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double number = 0;
  if (!parse_number(text, number)) return Cell::kText;
  if (std::isnan(number)) return Cell::kMissing;
  value = number;
  return Cell::kNumber;
}

// What the records after the first hold in one column.
struct ColumnState {
  Cell first = Cell::kMissing;  // in the first record, which may be a header
  bool any_number = false;
  Index text_line = -1;  // of the first field that is text; -1: none
  std::string text;

  bool is_text() const { return text_line >= 0; }
};

struct Grid {
  std::vector<std::string> names;  // the fields of the first record
  Index first_line = 1;
  std::vector<ColumnState> columns;
  std::vector<double> values;  // every record, every column; NaN for text

  Index width() const { return ssize(columns); }
  Index records() const { return ssize(values) / width(); }
  double at(Index record, Index column) const { return values[usize(record * width() + column)]; }
};

std::string quoted(std::string text) {
  constexpr std::size_t kLongest = 24;
  if (text.size() > kLongest) {
    std::size_t size = kLongest;
    while (size > 0 && (text[size] & 0xc0) == 0x80) --size;  // not inside a UTF-8 character
    text = text.substr(0, size) + "...";
  }
  return "'" + text + "'";
}

void check_is_text(std::string_view text, const std::string& name) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f';
  };
  const auto at = std::find_if(text.begin(), text.end(), is_control);
  if (at == text.end()) return;
  const bool utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (utf16) {
    throw InputError(Code::kBadFile, {.file = name}, "this text is in UTF-16",
                     "Save it as UTF-8: iconv -f UTF-16 -t UTF-8 in.csv > out.csv");
  }
  const Index line = 1 + std::count(text.begin(), at, '\n');
  throw InputError(Code::kBadFile, {.file = name, .line = line},
                   fmt::format("this is not text: it has a byte 0x{:02x} at offset {}",
                               static_cast<unsigned char>(*at), at - text.begin()),
                   "Data files are CSV or TSV text, or NumPy .npy.");
}

[[noreturn]] void throw_bad_quote(CsvStep step, Index line, const std::string& name) {
  const bool open = step == CsvStep::kOpenQuote;
  throw InputError(
      Code::kBadFile, {.file = name, .line = line},
      open ? "a quote that opens on this line is never closed"
           : "text follows the closing quote of a field",
      "A quoted field ends with \" before the delimiter; quotes inside it are doubled.");
}

[[noreturn]] void throw_ragged(const Grid& grid, std::span<const CsvField> fields, Index line,
                               const std::string& name) {
  const bool blank = ssize(fields) == 1 && fields[0].text.empty();
  const std::string what = fmt::format("this line has {} fields, but line {} has {}", ssize(fields),
                                       grid.first_line, grid.width());
  std::string fix =
      "Give every row the same number of fields, and quote text that has the "
      "delimiter in it.";
  if (blank) fix = "Delete the line.";
  if (grid.records() == 1)
    fix += fmt::format(" If line {} is a title, delete it.", grid.first_line);
  if (grid.records() == 1 && ssize(fields) == grid.width() + 1) {
    fix = "If the first column holds row names, name it in the header: rownames.";
  }
  throw InputError(Code::kRaggedRow, {.file = name, .line = line},
                   blank ? "this line is blank" : what, fix);
}

void add_first(Grid& grid, std::span<const CsvField> fields, Index line) {
  grid.first_line = line;
  for (const CsvField& field : fields) {
    grid.names.push_back(unquoted(field));
    grid.columns.emplace_back().first = parse_cell(field.text, grid.values.emplace_back());
  }
}

void add_record(Grid& grid, std::span<const CsvField> fields, Index line) {
  for (std::size_t j = 0; j < fields.size(); ++j) {
    double& value = grid.values.emplace_back(kNaN);
    ColumnState& column = grid.columns[j];
    if (column.is_text()) continue;
    const Cell cell = parse_cell(fields[j].text, value);
    if (cell == Cell::kNumber) column.any_number = true;
    if (cell == Cell::kText) column.text_line = line, column.text = unquoted(fields[j]);
  }
}

Grid read_grid(std::string_view text, Index first_line, const std::string& name) {
  Grid grid;
  CsvScanner scanner(text, sniff_delimiter(text), first_line);
  std::vector<CsvField> fields;
  for (;;) {
    const CsvStep step = scanner.next(fields);
    if (step == CsvStep::kEnd) return grid;
    if (step != CsvStep::kRecord) throw_bad_quote(step, scanner.line(), name);
    if (grid.columns.empty()) {
      add_first(grid, fields, scanner.line());
    } else if (ssize(fields) == grid.width()) {
      add_record(grid, fields, scanner.line());
    } else {
      throw_ragged(grid, fields, scanner.line(), name);
    }
  }
}

// Text above numbers; or text alone, when no column has numbers below to compare with.
bool has_header(const Grid& grid) {
  bool above_numbers = false, any_text = false, any_number = false, numbers_below = false;
  for (const ColumnState& column : grid.columns) {
    const bool numeric = column.any_number && !column.is_text();
    above_numbers |= numeric && column.first == Cell::kText;
    numbers_below |= numeric;
    any_text |= column.first == Cell::kText;
    any_number |= column.first == Cell::kNumber;
  }
  return above_numbers || (!numbers_below && any_text && !any_number);
}

bool counts_up(const Grid& grid) {
  const double start = grid.records() > 1 ? grid.at(1, 0) : 0;
  if (start != 0 && start != 1) return false;
  for (Index i = 1; i < grid.records(); ++i) {
    if (grid.at(i, 0) != start + static_cast<double>(i - 1)) return false;
  }
  return true;
}

bool is_row_names(const Grid& grid) {
  if (grid.width() == 1) return false;
  std::string name = grid.names[0];
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name == "rownames" || ((name.empty() || name == "id") && counts_up(grid));
}

// Why column j of a table stays out of the matrix; "" if it does not.
std::string reason_to_ignore(const Grid& grid, Index j, const std::string& name, bool header) {
  const ColumnState& column = grid.columns[usize(j)];
  if (header && j == 0 && is_row_names(grid)) {
    return fmt::format("ignored the column {}, which holds row names", quoted(name));
  }
  if (!header && column.first == Cell::kText) {
    return fmt::format("ignored the text column {}: {} on line {} is not a number", quoted(name),
                       quoted(grid.names[usize(j)]), grid.first_line);
  }
  if (column.is_text()) {
    return fmt::format("ignored the text column {}: {} on line {} is not a number", quoted(name),
                       quoted(column.text), column.text_line);
  }
  const bool nameless = grid.names[usize(j)].empty();
  if (nameless && !column.any_number && column.first == Cell::kMissing && grid.records() > 1) {
    return fmt::format("ignored the column {}, which has neither name nor values", quoted(name));
  }
  return "";
}

// Moves the columns and rows to keep to the front.
void pack(Grid& grid, std::span<const Index> keep, Index first_record) {
  double* to = grid.values.data();
  for (Index i = first_record; i < grid.records(); ++i) {
    for (const Index j : keep) *to++ = grid.at(i, j);
  }
  grid.values.resize(static_cast<std::size_t>(to - grid.values.data()));
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& name) {
  check_is_text(text, name);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && std::string_view(" \r\n").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  const std::size_t blank = std::min(text.find_first_not_of("\r\n"), text.size());
  const Index first_line = 1 + std::count(text.data(), text.data() + blank, '\n');
  text.remove_prefix(blank);
  if (text.empty()) {
    throw InputError(Code::kBadFile, {.file = name}, "the file is empty",
                     "A table has a header with names, then a line for each row.");
  }

  Grid grid = read_grid(text, first_line, name);
  const bool header = has_header(grid);
  Table table;
  table.name = name;
  std::vector<Index> keep;
  for (Index j = 0; j < grid.width(); ++j) {
    std::string column = header ? grid.names[usize(j)] : "";
    if (column.empty()) column = std::to_string(j + 1);
    const std::string reason = reason_to_ignore(grid, j, column, header);
    if (reason.empty()) {
      keep.push_back(j);
      table.schema.columns.emplace_back().name = column;
    } else {
      table.notes.push_back({"ignored-column", reason});
    }
  }
  const Index rows = grid.records() - (header ? 1 : 0);
  pack(grid, keep, header ? 1 : 0);
  table.x = {{rows, ssize(keep)}, std::move(grid.values)};
  return table;
}

}  // namespace craton
