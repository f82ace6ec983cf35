#include "craton/io/lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "craton/base/error.h"

namespace craton {
namespace {

constexpr std::size_t kReadStep = std::size_t{1} << 18;  // bytes read at a time
constexpr std::string_view kBlank = " \t\r\f\v";

}  // namespace

bool LineReader::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  const std::size_t used = buffer_.size();
  if (used > usize(kMaxLine)) {
    throw InputError(Code::kBadFile, {.file = file(), .line = line_ + 1},
                     fmt::format("this line has more than {} MiB", kMaxLine >> 20),
                     "Check that the file is text with line ends.");
  }
  // A long line is read in steps that grow with it, so that it is copied a few times only.
  buffer_.resize(used + std::max(kReadStep, used));
  const std::size_t got =
      input_.read(std::as_writable_bytes(std::span(buffer_.data() + used, buffer_.size() - used)));
  buffer_.resize(used + got);
  if (line_ == 0 && (buffer_.starts_with("\xff\xfe") || buffer_.starts_with("\xfe\xff"))) {
    throw InputError(Code::kBadFile, {.file = file()}, "this text is in UTF-16",
                     "Save it as UTF-8: iconv -f UTF-16 -t UTF-8 in > out");
  }
  return got > 0;
}

bool LineReader::next(std::string_view& line) {
  std::size_t end = buffer_.find('\n', at_);
  while (end == std::string::npos) {
    const std::size_t seen = buffer_.size() - at_;
    if (!fill()) {
      if (buffer_.empty()) return false;
      buffer_ += '\n';  // the last line may lack it
    }
    end = buffer_.find('\n', seen);
  }
  line = std::string_view(buffer_).substr(at_, end - at_);
  at_ = end + 1;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.find('\0') != std::string_view::npos) {
    throw InputError(Code::kBadFile, {.file = file(), .line = line_},
                     "this is not text: it has a zero byte", "Check the format of the file.");
  }
  return true;
}

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  if (text.size() <= kLongest) return fmt::format("'{}'", text);
  std::size_t size = kLongest;
  while (size > 0 && (text[size] & 0xc0) == 0x80) --size;  // not inside a UTF-8 character
  return fmt::format("'{}...'", text.substr(0, size));
}

}  // namespace craton
