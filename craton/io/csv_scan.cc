#include "craton/io/csv_scan.h"

#include <algorithm>

namespace craton {
namespace {

// Enough records to tell a delimiter from a comma in a remark.
constexpr Index kSniffRecords = 50;

// The number of fields of the first records, up to one (kBadQuote) whose quotes do not fit.
constexpr Index kBadQuote = -1;
std::vector<Index> field_counts(std::string_view text, CsvDialect dialect) {
  CsvScanner scanner(text, dialect);
  std::vector<CsvField> fields;
  std::vector<Index> counts;
  while (ssize(counts) < kSniffRecords) {
    const CsvStep step = scanner.next(fields);
    if (step == CsvStep::kEnd) break;
    counts.push_back(step == CsvStep::kRecord ? ssize(fields) : kBadQuote);
    if (step != CsvStep::kRecord) break;
  }
  return counts;
}

bool all_equal(const std::vector<Index>& counts) {
  return std::all_of(counts.begin(), counts.end(), [&](Index c) { return c == counts.front(); });
}

}  // namespace

std::string unquoted(const CsvField& field) {
  if (!field.doubled) return std::string(field.text);
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.text[i] == '"') ++i;
  }
  return text;
}

FieldScanner::FieldScanner(CsvDialect dialect)
    : delimiter_(dialect.delimiter), quotes_(dialect.quotes) {
  for (const char stop : {delimiter_, '\n', '\r'}) stops_[static_cast<unsigned char>(stop)] = true;
  if (delimiter_ == kBlanks) stops_['\t'] = true;
}

CsvStep FieldScanner::next(const char*& at, const char* end, CsvField& field, Index& lines) const {
  skip_blanks(at, end);
  if (at != end && *at == '"' && quotes_) return quoted(at, end, field, lines);
  const char* const first = at;
  while (at != end && !stops(*at)) ++at;
  const char* last = at;
  while (last != first && (last[-1] == ' ' || last[-1] == '\t')) --last;
  field = {{first, static_cast<std::size_t>(last - first)}};
  return CsvStep::kRecord;
}

CsvStep FieldScanner::quoted(const char*& at, const char* end, CsvField& field,
                             Index& lines) const {
  const char* const first = ++at;
  bool doubled = false;
  for (;; ++at) {
    if (at == end) return CsvStep::kOpenQuote;
    if (*at == '\n' || (*at == '\r' && (at + 1 == end || at[1] != '\n'))) ++lines;
    if (*at != '"') continue;
    if (at + 1 == end || at[1] != '"') break;
    doubled = true;
    ++at;
  }
  field = {{first, static_cast<std::size_t>(at - first)}, doubled};
  const char* const after = ++at;
  skip_blanks(at, end);
  const bool delimited = at == end || stops(*at) || (delimiter_ == kBlanks && at != after);
  return delimited ? CsvStep::kRecord : CsvStep::kTextAfterQuote;
}

CsvScanner::CsvScanner(std::string_view text, CsvDialect dialect, Index line)
    : fields_(dialect),
      at_(text.data()),
      end_(text.data() + text.size()),
      line_(line),
      record_line_(line) {}

CsvStep CsvScanner::next(std::vector<CsvField>& fields) {
  fields.clear();
  if (at_ == end_) return CsvStep::kEnd;
  record_line_ = line_;
  for (;;) {
    Index lines = 0;
    const CsvStep step = fields_.next(at_, end_, fields.emplace_back(), lines);
    if (step != CsvStep::kRecord) {
      record_line_ = line_;
      return step;
    }
    line_ += lines;
    const bool runs = fields_.delimiter() == kBlanks;
    if (runs) fields_.skip_blanks(at_, end_);  // before the line end they delimit nothing
    if (at_ == end_) return CsvStep::kRecord;
    if (is_line_end(*at_)) {
      skip_line_end(at_, end_);
      ++line_;
      return CsvStep::kRecord;
    }
    if (!runs) ++at_;
  }
}

namespace {

// Behind the last line end; 0: there is none. A \r at the very end may be half of a \r\n.
std::size_t behind_last_line(std::string_view text) {
  const std::size_t newline = text.rfind('\n');
  if (newline != text.npos) return newline + 1;
  if (text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t carriage = text.rfind('\r');
  return carriage == text.npos ? 0 : carriage + 1;
}

bool opens_field(std::string_view text, std::size_t quote, const FieldScanner& scanner) {
  std::size_t at = quote;
  while (at > 0 && scanner.is_blank(text[at - 1])) --at;
  return at == 0 || scanner.stops(text[at - 1]) || (scanner.delimiter() == kBlanks && at < quote);
}

}  // namespace

std::size_t whole_records(std::string_view text, CsvDialect dialect) {
  if (!dialect.quotes) return behind_last_line(text);
  const FieldScanner scanner(dialect);
  std::size_t whole = 0, plain = 0;  // what lies outside of quotes goes on from `plain`
  const auto see_plain = [&](std::size_t end) {
    const std::size_t size = behind_last_line(text.substr(plain, end - plain));
    if (size > 0) whole = plain + size;
  };
  std::size_t quote = text.find('"');
  while (quote != text.npos) {
    if (!opens_field(text, quote, scanner)) {
      quote = text.find('"', quote + 1);
      continue;
    }
    see_plain(quote);
    std::size_t close = text.find('"', quote + 1);
    while (close != text.npos && close + 1 < text.size() && text[close + 1] == '"') {
      close = text.find('"', close + 2);
    }
    if (close == text.npos || close + 1 == text.size()) return whole;  // perhaps it goes on
    plain = close + 1;
    quote = text.find('"', plain);
  }
  see_plain(text.size());
  return whole;
}

char sniff_delimiter(std::string_view text, bool quotes) {
  // A semicolon goes before a comma: where both would do, the comma is a decimal comma.
  constexpr std::array kDelimiters{'\t', ';', ',', '|', kBlanks};
  char likely = ',';
  Index most = 1;
  for (const char delimiter : kDelimiters) {
    const std::vector<Index> counts = field_counts(text, {delimiter, quotes});
    if (counts.empty()) continue;
    if (counts.front() > 1 && all_equal(counts)) return delimiter;
    // A ragged file still has a delimiter. Blanks may also be part of the one name in a header.
    const bool in_names =
        delimiter == kBlanks && (most > 1 || std::all_of(counts.begin() + 1, counts.end(),
                                                         [](Index count) { return count == 1; }));
    if (counts.front() > most && !in_names) likely = delimiter, most = counts.front();
  }
  return likely;
}

}  // namespace craton
