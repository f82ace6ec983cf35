#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

// Separated text cut into records and fields, as in RFC 4180, with what files in the world add:
// any line ending, blanks around fields, other delimiters. Nothing is copied.

namespace craton {

// The delimiter that stands for any run of blanks and tabs.
inline constexpr char kBlanks = ' ';

// How fields are told apart. Without quotes, '"' is a letter like others.
struct CsvDialect {
  CsvDialect(char between = ',', bool quoted = true) : delimiter(between), quotes(quoted) {}
  char delimiter;
  bool quotes;
};

struct CsvField {
  std::string_view text;  // without the blanks and quotes around it
  bool doubled = false;   // quotes in the text are still doubled: see unquoted()
};
std::string unquoted(const CsvField& field);

enum class CsvStep {
  kRecord,
  kEnd,
  kOpenQuote,       // a quote is never closed
  kTextAfterQuote,  // neither delimiter nor line end follows a closing quote
};

// Cuts single fields out of a text.
class FieldScanner {
 public:
  explicit FieldScanner(CsvDialect dialect);

  // The field that starts at `at`, which moves to what follows it: a delimiter, a line end, or the
  // end. `lines` counts the line ends inside its quotes. kRecord: all is well.
  CsvStep next(const char*& at, const char* end, CsvField& field, Index& lines) const;

  // Line ends and the delimiter end a plain field.
  bool stops(char c) const { return stops_[static_cast<unsigned char>(c)]; }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  char delimiter() const { return delimiter_; }
  bool quotes() const { return quotes_; }
  void skip_blanks(const char*& at, const char* end) const {
    while (at != end && is_blank(*at)) ++at;
  }

 private:
  CsvStep quoted(const char*& at, const char* end, CsvField& field, Index& lines) const;

  char delimiter_;
  bool quotes_;
  std::array<bool, 256> stops_{};
};

inline bool is_line_end(char c) { return c == '\n' || c == '\r'; }

// Steps over \n, \r\n or \r.
inline void skip_line_end(const char*& at, const char* end) {
  if (*at == '\r' && at + 1 != end && at[1] == '\n') ++at;
  ++at;
}

// Cuts a text into records.
class CsvScanner {
 public:
  // Borrows the text; `line` is the number of its first line.
  CsvScanner(std::string_view text, CsvDialect dialect, Index line = 1);

  CsvStep next(std::vector<CsvField>& fields);
  Index line() const { return record_line_; }  // where the latest record, or bad quote, began
  Index next_line() const { return line_; }
  const char* position() const { return at_; }  // behind the latest record

 private:
  FieldScanner fields_;
  const char* at_;
  const char* end_;
  Index line_, record_line_;
};

// How much of the front of `text` is whole records, if more follows; 0: not even one. The text
// starts a record. A quote opens a field only at its front, so that those elsewhere do not count.
std::size_t whole_records(std::string_view text, CsvDialect dialect);

// The delimiter that cuts the first records most evenly: tab ; , | or kBlanks, in this order.
char sniff_delimiter(std::string_view text, bool quotes = true);

}  // namespace craton
