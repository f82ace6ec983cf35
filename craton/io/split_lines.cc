#include "craton/io/split_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "craton/base/error.h"
#include "craton/base/files.h"

namespace craton {
namespace {

// Bytes for a file, in pieces worth a system call.
class PieceWriter {
 public:
  explicit PieceWriter(const std::string& path) : file_(path) {}
  void append(std::span<const std::byte> bytes) {
    constexpr std::size_t kPiece = std::size_t{1} << 16;
    piece_.insert(piece_.end(), bytes.begin(), bytes.end());
    if (piece_.size() >= kPiece) flush();
  }
  void flush() {
    file_.append(piece_);
    piece_.clear();
  }
  void commit() { file_.commit(); }

 private:
  FileWriter file_;
  Bytes piece_;
};

// Bytes of the file by lines: those of line n up to line m, in pieces.
class LinesInOrder {
 public:
  explicit LinesInOrder(Input& text) : text_(text), buffer_(kPiece) {}

  // What comes up to the beginning of a line, counted from 1; -1: all that is left. False when the
  // file ends before.
  bool copy_until(Index line, FunctionRef<void(std::span<const std::byte>)> to) {
    while (line < 0 || line_ < line) {
      if (at_ == end_ && !fill()) return line < 0;
      const std::byte* const from = buffer_.data() + at_;
      const auto* const found =
          line < 0 ? nullptr : static_cast<const std::byte*>(std::memchr(from, '\n', end_ - at_));
      const std::size_t count =
          found == nullptr ? end_ - at_ : static_cast<std::size_t>(found - from) + 1;
      to({from, count});
      at_ += count;
      line_ += found == nullptr ? 0 : 1;
    }
    return true;
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  bool fill() {
    at_ = 0;
    end_ = text_.read(buffer_);
    return end_ > 0;
  }

  Input& text_;
  Bytes buffer_;
  std::size_t at_ = 0, end_ = 0;
  Index line_ = 1;
};

}  // namespace

void split_lines(Input& text, const Source& table, const RowSet& second,
                 const std::string& first_path, const std::string& second_path) {
  const Index rows = second.rows();
  if (rows > 0 && table.line_of(0) < 0) {
    throw InputError(
        Code::kUnsupported, {.file = table.name()},
        "the rows of this file are no lines of a text, which could be copied as they are",
        {"Make a table of it first: {}.", Ref::verb("convert IN out.csv")});
  }
  PieceWriter first_file(first_path), second_file(second_path);
  LinesInOrder lines(text);
  const auto to_both = [&](std::span<const std::byte> bytes) {
    first_file.append(bytes);
    second_file.append(bytes);
  };
  bool whole = rows == 0 || lines.copy_until(table.line_of(0), to_both);
  for (Index row = 0; row < rows && whole; ++row) {
    PieceWriter& file = second.contains(row) ? second_file : first_file;
    const Index end = row + 1 < rows ? table.line_of(row + 1) : -1;
    whole = lines.copy_until(end, [&](std::span<const std::byte> bytes) { file.append(bytes); });
  }
  if (!whole) {
    throw InputError(Code::kBadFile, {.file = text.name()},
                     fmt::format("the file has fewer lines than its {} rows had", rows),
                     "Leave it alone while it is read.");
  }
  for (PieceWriter* file : {&first_file, &second_file}) file->flush();
  first_file.commit();
  second_file.commit();
}

}  // namespace craton
