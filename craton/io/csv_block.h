#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/error.h"
#include "craton/io/cell_form.h"
#include "craton/io/csv_scan.h"
#include "craton/io/levels.h"
#include "craton/tables/row_groups.h"

// One block of records becomes rows of doubles. This is where the time goes when a file is read.

namespace craton {

enum class CsvRule : std::uint8_t {
  kNumber,
  kWhole,     // a number, and one beyond 2^53 is a bad cell
  kCategory,  // a code of Levels
  kChosen,    // the same, with as many levels as the user wants
  kText,      // as it is
  kSkip,
  kForm,         // a number by CsvLayout::forms, and the parts of a date behind it
  kFormAndText,  // and as it is
};

struct CsvLayout {
  CsvDialect dialect = {};
  std::vector<CsvRule> rules;  // a column each
  std::vector<CellForm> forms = {};
  std::vector<DatePart> date_parts = {};

  Index width() const { return ssize(rules); }
  Index kept() const;   // columns of values
  Index texts() const;  // and of text
  Index values_of(Index column) const;
  bool has_text(Index column) const {
    const CsvRule rule = rules[usize(column)];
    return rule == CsvRule::kText || rule == CsvRule::kFormAndText;
  }
};

// A column of numbers with cells that are none.
struct BadCells {
  Index column = 0, count = 0, line = 0;  // the first one, and its line
  std::string text;
  bool big_integer = false;  // the first one
};

// What stops the parser. Lines are counted from 0, from the front of the block.
struct CsvFault {
  enum class What { kRagged, kBlank, kOpenQuote, kTextAfterQuote, kNotText, kNotUtf8 };
  What what;
  Index line, row;
  Index fields = 0;        // of a ragged record
  Index offset = 0;        // in the record, of a byte that is no UTF-8
  unsigned char byte = 0;  // and that byte
};

struct CsvRows {
  RowGroup group;  // lines include blank ones
  std::span<const double> values;
  std::span<const TextArray> texts;
  Index blank_tail = 0;  // blank lines at the end; those of a table of one column are rows too
  Index first_tail_line = 0;
  std::vector<BadCells> bad;
};

// One worker's parser: it keeps the levels it has met, and counts missing values.
class CsvBlockParser {
 public:
  explicit CsvBlockParser(const CsvLayout& layout);

  // requires a text whose records all end with a line end, and CsvBlock::kPadding bytes behind it.
  // The result borrows from the parser until the next call. Throws CsvFault.
  CsvRows parse(std::string_view text);

  const Levels& levels(Index column) const { return levels_[usize(column)]; }
  Index missing(Index column) const { return missing_[usize(column)]; }

 private:
  template <bool kRuns>
  void parse_records();
  bool take_blank_line();
  void start_row();
  template <bool kRuns>
  void parse_row();
  bool take_number(CsvRule rule);
  void parse_number_slowly(Index column, CsvRule rule);
  void parse_category(Index column);
  void parse_form(Index column);
  void add_bad(Index column, const CsvField& cell, bool big_integer);
  void take_text(Index column);
  void skip_field();
  CsvField field();
  [[noreturn]] void fail(CsvFault::What what, Index fields = 0) const;
  void check_utf8(std::string_view cell) const;
  Index count_fields() const;

  CsvLayout layout_;
  FieldScanner scanner_;
  Index kept_;
  std::vector<Levels> levels_;  // by column; empty for those that are no categories
  std::vector<Index> missing_;  // by column
  std::vector<Index> bad_at_;   // by column: where in result_.bad, if there

  // Of the block at hand.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* record_ = nullptr;
  std::vector<double> values_;
  std::vector<TextArray> texts_;
  std::vector<Index> text_of_;  // by column: where in texts_
  double* out_ = nullptr;
  Index row_ = 0, line_ = 0, lines_more_ = 0;
  CsvRows result_;
};

}  // namespace craton
