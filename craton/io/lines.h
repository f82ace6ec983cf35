#pragma once
#include <string>
#include <string_view>

#include "craton/io/input.h"

// Text files line by line, for formats whose lines stand for themselves.

namespace craton {

// A longer line is refused: it is not what these formats are for, or not text at all.
inline constexpr Index kMaxLine = Index{1} << 28;

// More columns are refused where a file merely claims them: each costs a name in the schema.
inline constexpr Index kMaxColumns = Index{1} << 22;

class LineReader {
 public:
  explicit LineReader(Input& input) : input_(input) {}

  // The next line, without its end (LF or CRLF); false at the end. Valid until the next call.
  // InputError (kBadFile): a zero byte, UTF-16, a line beyond kMaxLine.
  bool next(std::string_view& line);
  Index line() const { return line_; }  // the number of the latest one, from 1
  const std::string& file() const { return input_.name(); }

 private:
  bool fill();  // more bytes behind those at hand; false at the end

  Input& input_;
  std::string buffer_;
  std::size_t at_ = 0;
  Index line_ = 0;
};

// Cuts the next word, up to blanks or tabs, off the front; "" when there is none.
std::string_view next_word(std::string_view& line);

// In quotes for a message, and not too long.
std::string quoted(std::string_view text);

}  // namespace craton
