#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "craton/core/table.h"

// Separated text cut into records and fields, as in RFC 4180, with what files in the world add:
// any line ending, blanks around fields, other delimiters. Nothing is copied.

namespace craton {

// The delimiter that stands for any run of blanks and tabs.
inline constexpr char kBlanks = ' ';

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

class CsvScanner {
 public:
  // Borrows the text; `line` is the number of its first line.
  CsvScanner(std::string_view text, char delimiter, Index line = 1);

  CsvStep next(std::vector<CsvField>& fields);
  Index line() const { return record_line_; }  // where the latest record began

 private:
  bool at_blank() const { return *at_ == ' ' || (*at_ == '\t' && delimiter_ != '\t'); }
  bool at_stop() const { return stops_[static_cast<unsigned char>(*at_)]; }
  void skip_blanks();
  CsvField plain_field();
  CsvStep quoted_field(CsvField& field);
  bool end_record();  // steps over a line end; true also at the end of the text

  const char* at_;
  const char* end_;
  char delimiter_;
  Index line_, record_line_;
  std::array<bool, 256> stops_{};  // what ends a plain field
};

// The delimiter that cuts the first records most evenly: tab ; , | or kBlanks, in this order.
char sniff_delimiter(std::string_view text);

}  // namespace craton
