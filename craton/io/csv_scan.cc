#include "craton/io/csv_scan.h"

#include <algorithm>

namespace craton {
namespace {

// Enough records to tell a delimiter from a comma in a remark.
constexpr Index kSniffRecords = 50;

// The number of fields of the first records; empty when the quotes do not fit the delimiter.
std::vector<Index> field_counts(std::string_view text, char delimiter) {
  CsvScanner scanner(text, delimiter);
  std::vector<CsvField> fields;
  std::vector<Index> counts;
  while (ssize(counts) < kSniffRecords) {
    const CsvStep step = scanner.next(fields);
    if (step == CsvStep::kEnd) break;
    if (step != CsvStep::kRecord) return {};
    counts.push_back(ssize(fields));
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

CsvScanner::CsvScanner(std::string_view text, char delimiter, Index line)
    : at_(text.data()),
      end_(text.data() + text.size()),
      delimiter_(delimiter),
      line_(line),
      record_line_(line) {
  for (const char stop : {delimiter, '\n', '\r'}) stops_[static_cast<unsigned char>(stop)] = true;
  if (delimiter == kBlanks) stops_['\t'] = true;
}

CsvStep CsvScanner::next(std::vector<CsvField>& fields) {
  fields.clear();
  if (at_ == end_) return CsvStep::kEnd;
  record_line_ = line_;
  for (;;) {
    skip_blanks();
    CsvField field;
    if (at_ != end_ && *at_ == '"') {
      const CsvStep step = quoted_field(field);
      if (step != CsvStep::kRecord) return step;
    } else {
      field = plain_field();
    }
    fields.push_back(field);
    if (delimiter_ == kBlanks) skip_blanks();  // before the line end they delimit nothing
    if (end_record()) return CsvStep::kRecord;
    if (delimiter_ != kBlanks) ++at_;
  }
}

void CsvScanner::skip_blanks() {
  while (at_ != end_ && at_blank()) ++at_;
}

CsvField CsvScanner::plain_field() {
  const char* first = at_;
  while (at_ != end_ && !at_stop()) ++at_;
  const char* last = at_;
  while (last != first && (last[-1] == ' ' || last[-1] == '\t')) --last;
  return {{first, static_cast<std::size_t>(last - first)}};
}

CsvStep CsvScanner::quoted_field(CsvField& field) {
  const char* first = ++at_;
  const Index opened = line_;
  for (;; ++at_) {
    if (at_ == end_) {
      record_line_ = opened;
      return CsvStep::kOpenQuote;
    }
    if (*at_ == '\n' || (*at_ == '\r' && (at_ + 1 == end_ || at_[1] != '\n'))) ++line_;
    if (*at_ != '"') continue;
    if (at_ + 1 == end_ || at_[1] != '"') break;
    field.doubled = true;
    ++at_;
  }
  field.text = {first, static_cast<std::size_t>(at_ - first)};
  ++at_;
  const char* after = at_;
  skip_blanks();
  const bool delimited = at_ == end_ || at_stop() || (delimiter_ == kBlanks && at_ != after);
  return delimited ? CsvStep::kRecord : CsvStep::kTextAfterQuote;
}

bool CsvScanner::end_record() {
  if (at_ == end_) return true;
  if (*at_ != '\n' && *at_ != '\r') return false;
  if (*at_ == '\r' && at_ + 1 != end_ && at_[1] == '\n') ++at_;
  ++at_;
  ++line_;
  return true;
}

char sniff_delimiter(std::string_view text) {
  // A semicolon goes before a comma: where both would do, the comma is a decimal comma.
  constexpr std::array kDelimiters{'\t', ';', ',', '|', kBlanks};
  char likely = ',';
  Index most = 1;
  for (const char delimiter : kDelimiters) {
    const std::vector<Index> counts = field_counts(text, delimiter);
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
