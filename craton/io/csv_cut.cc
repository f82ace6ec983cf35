#include "craton/io/csv_cut.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"

// Bytes are read straight into the block; only the part of a record at its end is copied, to the
// front of the next block.

namespace craton {

RecordCutter::RecordCutter(Input& input, Index block_bytes)
    : input_(input), block_bytes_(usize(std::max<Index>(1, block_bytes))) {}

namespace {

void make_room(std::vector<char>& buffer, std::size_t size) {
  if (buffer.size() < size + CsvBlock::kPadding) buffer.resize(size + CsvBlock::kPadding);
}

}  // namespace

// Until there are `wanted` bytes, or the end.
void RecordCutter::read_more(std::vector<char>& buffer, std::size_t& size, std::size_t wanted) {
  if (at_end_ || size >= wanted) return;
  make_room(buffer, wanted);
  const auto out = std::as_writable_bytes(std::span(buffer)).subspan(size, wanted - size);
  size += read_full(input_, out);
  at_end_ = size < wanted;
}

void RecordCutter::fail_too_long() const {
  throw InputError(Code::kBadFile, {.file = input_.name()},
                   fmt::format("a record is longer than {} MB", kLongestRecord >> 20),
                   "Is this a table, and is every quote closed? Records end with a line end.");
}

std::string_view RecordCutter::peek(Index bytes) {
  for (std::size_t wanted = usize(bytes);; wanted *= 2) {
    read_more(rest_, rest_size_, wanted);
    const std::string_view text(rest_.data() + rest_at_, rest_size_ - rest_at_);
    if (at_end_) return text;
    const std::size_t whole = whole_records(text, dialect_);
    const bool two = whole > 1 && whole_records(text.substr(0, whole - 1), dialect_) > 0;
    if (two) return text.substr(0, whole);
    if (wanted >= usize(kLongestRecord)) {
      if (whole == 0) fail_too_long();
      return text.substr(0, whole);
    }
  }
}

void RecordCutter::skip(std::size_t bytes) { rest_at_ += bytes; }

bool RecordCutter::next(CsvBlock& block) {
  block.size = 0;
  for (std::size_t wanted = block_bytes_;; wanted *= 2) {
    take_rest(block, wanted);
    if (rest_at_ == rest_size_) read_more(block.buffer, block.size, wanted);
    if (at_end_ && rest_at_ == rest_size_) break;
    const std::size_t whole = whole_records(block.text(), dialect_);
    if (whole > 0) {
      give_back(block, whole);
      break;
    }
    if (wanted >= usize(kLongestRecord)) fail_too_long();
  }
  if (block.size == 0) return false;
  make_room(block.buffer, block.size + 1);
  const bool ended = is_line_end(block.buffer[block.size - 1]);
  if (!ended) block.buffer[block.size++] = '\n';
  std::fill_n(block.buffer.data() + block.size, CsvBlock::kPadding, '\0');
  return true;
}

// What was read before, up to `wanted` bytes of the block.
void RecordCutter::take_rest(CsvBlock& block, std::size_t wanted) {
  const std::size_t more = std::min(rest_size_ - rest_at_, wanted - block.size);
  make_room(block.buffer, wanted);
  std::copy_n(rest_.data() + rest_at_, more, block.buffer.data() + block.size);
  rest_at_ += more;
  block.size += more;
}

// All of the block but the first `whole` bytes.
void RecordCutter::give_back(CsvBlock& block, std::size_t whole) {
  const std::size_t tail = block.size - whole;
  block.size = whole;
  if (rest_at_ < rest_size_) {
    rest_at_ -= tail;  // it came from there
    return;
  }
  const char* const from = block.buffer.data() + whole;
  rest_.assign(from, from + tail);
  rest_at_ = 0;
  rest_size_ = tail;
}

}  // namespace craton
