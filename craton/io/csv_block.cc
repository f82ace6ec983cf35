#include "craton/io/csv_block.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "craton/base/utf8.h"
#include "craton/io/cell.h"
#include "craton/io/decimal.h"

// A number that parse_decimal takes, with a delimiter or a line end right behind it, costs one look
// at each of its bytes. Everything else (quotes, blanks, missing values, text) goes the long way
// over FieldScanner.

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Index CsvLayout::values_of(Index column) const {
  const CsvRule rule = rules[usize(column)];
  if (rule == CsvRule::kSkip || rule == CsvRule::kText) return 0;
  const bool form = rule == CsvRule::kForm || rule == CsvRule::kFormAndText;
  return 1 + (form && forms[usize(column)].is_date() ? ssize(date_parts) : 0);
}

Index CsvLayout::kept() const {
  Index count = 0;
  for (Index j = 0; j < width(); ++j) count += values_of(j);
  return count;
}

Index CsvLayout::texts() const {
  Index count = 0;
  for (Index j = 0; j < width(); ++j) count += has_text(j) ? 1 : 0;
  return count;
}

CsvBlockParser::CsvBlockParser(const CsvLayout& layout)
    : layout_(layout),
      scanner_(layout.dialect),
      kept_(layout.kept()),
      missing_(layout.rules.size()),
      texts_(usize(layout.texts())) {
  Index texts = 0;
  for (Index j = 0; j < layout_.width(); ++j) {
    text_of_.push_back(layout_.has_text(j) ? texts++ : -1);
  }
  for (const CsvRule rule : layout_.rules) {
    levels_.emplace_back(rule == CsvRule::kChosen ? kMostChosenLevels : kMostLevels);
  }
}

CsvRows CsvBlockParser::parse(std::string_view text) {
  at_ = text.data();
  end_ = at_ + text.size();
  record_ = at_;
  row_ = line_ = 0;
  result_ = {};
  out_ = values_.data();
  for (TextArray& column : texts_) column.clear();
  if (const void* zero = std::memchr(at_, 0, text.size())) {
    const char* const at = static_cast<const char*>(zero);
    line_ = std::count(at_, at, '\n');
    fail(CsvFault::What::kNotText);
  }
  if (layout_.dialect.delimiter == kBlanks) {
    parse_records<true>();
  } else {
    parse_records<false>();
  }
  result_.group.rows = row_;
  result_.group.lines = line_;
  result_.values = {values_.data(), usize(row_ * kept_)};
  result_.texts = texts_;
  return std::move(result_);
}

template <bool kRuns>
void CsvBlockParser::parse_records() {
  while (at_ != end_) {
    record_ = at_;
    if (take_blank_line()) continue;
    if (result_.blank_tail > 0) {
      if (layout_.width() > 1) {
        line_ = result_.first_tail_line;
        fail(CsvFault::What::kBlank);
      }
      result_.blank_tail = 0;
    }
    start_row();
    parse_row<kRuns>();
    if (lines_more_ > 0) {
      result_.group.long_rows.push_back(
          {static_cast<std::int32_t>(row_), static_cast<std::int32_t>(lines_more_)});
    }
    ++row_;
    line_ += 1 + lines_more_;
  }
}

// In a table of one column a blank line is a missing value, but for those at the end of the file.
bool CsvBlockParser::take_blank_line() {
  const char* at = at_;
  scanner_.skip_blanks(at, end_);
  if (!is_line_end(*at)) return false;
  if (result_.blank_tail++ == 0) result_.first_tail_line = line_;
  if (layout_.width() == 1) {
    start_row();
    for (Index k = 0; k < kept_; ++k) *out_++ = kNaN;
    for (TextArray& column : texts_) column.add("");
    ++missing_[0];
    ++row_;
  }
  ++line_;
  skip_line_end(at, end_);
  at_ = at;
  return true;
}

void CsvBlockParser::start_row() {
  lines_more_ = 0;
  const Index used = row_ * kept_;
  if (used + kept_ > ssize(values_)) {
    constexpr Index kFirst = 4096;
    values_.resize(usize(std::max({used + kept_, 2 * used, kFirst})));
  }
  out_ = values_.data() + used;
}

// The number at hand, if it is a plain one.
inline bool CsvBlockParser::take_number(CsvRule rule) {
  double value = 0;
  const char* after = rule == CsvRule::kWhole ? parse_short_whole(at_, value) : nullptr;
  if (after == nullptr || !scanner_.stops(*after)) after = parse_decimal(at_, value);
  if (after == nullptr || !scanner_.stops(*after)) return false;
  *out_++ = value;
  at_ = after;
  return true;
}

template <bool kRuns>
void CsvBlockParser::parse_row() {
  const Index width = layout_.width();
  const CsvRule* const rules = layout_.rules.data();
  for (Index j = 0; j < width; ++j) {
    if constexpr (kRuns) scanner_.skip_blanks(at_, end_);
    const CsvRule rule = rules[j];
    if (rule <= CsvRule::kWhole) {
      if (!take_number(rule)) parse_number_slowly(j, rule);
    } else if (rule == CsvRule::kSkip) {
      skip_field();
    } else if (rule == CsvRule::kText) {
      take_text(j);
    } else if (rule >= CsvRule::kForm) {
      parse_form(j);
    } else {
      parse_category(j);
    }
    if constexpr (kRuns) scanner_.skip_blanks(at_, end_);
    const bool ends = at_ == end_ || is_line_end(*at_);
    if (ends != (j + 1 == width)) fail(CsvFault::What::kRagged, count_fields());
    if (!ends && !kRuns) ++at_;
  }
  if (at_ != end_) skip_line_end(at_, end_);
}

CsvField CsvBlockParser::field() {
  CsvField field;
  const Index before = lines_more_;
  const CsvStep step = scanner_.next(at_, end_, field, lines_more_);
  if (step == CsvStep::kRecord) return field;
  line_ += before;
  fail(step == CsvStep::kOpenQuote ? CsvFault::What::kOpenQuote : CsvFault::What::kTextAfterQuote);
}

void CsvBlockParser::parse_number_slowly(Index column, CsvRule rule) {
  const CsvField cell_field = field();
  const Cell cell = parse_cell(cell_field.text, *out_++);
  if (cell == Cell::kNumber || (cell == Cell::kBigInteger && rule == CsvRule::kNumber)) return;
  if (cell == Cell::kMissing) {
    ++missing_[usize(column)];
    return;
  }
  out_[-1] = kNaN;
  add_bad(column, cell_field, cell == Cell::kBigInteger);
}

void CsvBlockParser::add_bad(Index column, const CsvField& cell, bool big_integer) {
  if (bad_at_.empty()) bad_at_.resize(layout_.rules.size(), -1);
  Index& at = bad_at_[usize(column)];
  if (at < 0 || at >= ssize(result_.bad) || result_.bad[usize(at)].column != column) {
    at = ssize(result_.bad);
    result_.bad.push_back({column, 0, line_, unquoted(cell), big_integer});
  }
  ++result_.bad[usize(at)].count;
}

void CsvBlockParser::parse_form(Index column) {
  const CsvField cell = field();
  const CellForm& form = layout_.forms[usize(column)];
  double value = kNaN;
  if (is_missing(cell.text)) {
    ++missing_[usize(column)];
  } else if (cell.doubled || !form.read(cell.text, value)) {
    add_bad(column, cell, false);
  }
  *out_++ = value;
  if (form.is_date()) {
    for (const DatePart part : layout_.date_parts) *out_++ = part_of(value, part);
  }
  if (text_of_[usize(column)] < 0) return;
  TextArray& texts = texts_[usize(text_of_[usize(column)])];
  if (cell.doubled) {
    texts.add(unquoted(cell));
  } else {
    texts.add(cell.text);
  }
  check_utf8(cell.text);
}

void CsvBlockParser::parse_category(Index column) {
  const CsvField cell = field();
  double& value = *out_++ = kNaN;
  if (is_missing(cell.text)) {
    ++missing_[usize(column)];
    return;
  }
  Levels& levels = levels_[usize(column)];
  const Index before = levels.size();
  const Index code = cell.doubled ? levels.code(unquoted(cell)) : levels.code(cell.text);
  if (code < 0) return;
  if (levels.size() > before) check_utf8(cell.text);
  value = static_cast<double>(code);
}

void CsvBlockParser::take_text(Index column) {
  const CsvField cell = field();
  TextArray& texts = texts_[usize(text_of_[usize(column)])];
  if (cell.doubled) {
    texts.add(unquoted(cell));
  } else {
    texts.add(cell.text);
  }
  if (cell.text.empty()) ++missing_[usize(column)];
  check_utf8(cell.text);
}

void CsvBlockParser::skip_field() {
  const char* at = at_;
  while (at != end_ && scanner_.is_blank(*at)) ++at;
  if (at != end_ && *at == '"' && scanner_.quotes()) {
    field();
    return;
  }
  while (!scanner_.stops(*at)) ++at;  // every record ends with a line end
  at_ = at;
}

Index CsvBlockParser::count_fields() const {
  CsvScanner scanner({record_, static_cast<std::size_t>(end_ - record_)}, layout_.dialect);
  std::vector<CsvField> fields;
  scanner.next(fields);
  return ssize(fields);
}

void CsvBlockParser::fail(CsvFault::What what, Index fields) const {
  throw CsvFault{.what = what, .line = line_, .row = row_, .fields = fields};
}

void CsvBlockParser::check_utf8(std::string_view cell) const {
  const std::size_t at = first_not_utf8(cell);
  if (at == cell.size()) return;
  throw CsvFault{.what = CsvFault::What::kNotUtf8,
                 .line = line_,
                 .row = row_,
                 .offset = cell.data() + at - record_,
                 .byte = static_cast<unsigned char>(cell[at])};
}

}  // namespace craton
