#pragma once
#include <string_view>
#include <vector>

#include "craton/io/csv_scan.h"
#include "craton/io/input.h"

// The bytes of a text table, handed out in blocks of whole records.

namespace craton {

// The longest record that is taken; a longer one is a quote that is never closed, or no table.
inline constexpr Index kLongestRecord = Index{64} << 20;

// A block is followed by kPadding bytes of zero. The buffer is reused.
struct CsvBlock {
  static constexpr std::size_t kPadding = 16;
  std::vector<char> buffer;
  std::size_t size = 0;
  std::string_view text() const { return {buffer.data(), size}; }
};

class RecordCutter {
 public:
  // Borrows the input.
  RecordCutter(Input& input, Index block_bytes);

  // The front of the text, without taking it: at least `bytes` and two records, unless it ends
  // before. What follows the last whole record is left out when more follows.
  std::string_view peek(Index bytes);
  bool peeked_all() const { return at_end_; }  // the front is the whole text
  void skip(std::size_t bytes);                // of what was peeked
  void set_dialect(CsvDialect dialect) { dialect_ = dialect; }

  // The next block: every record of it ends with a line end, also the last of the text. False: the
  // text is at its end. InputError: a record longer than kLongestRecord.
  bool next(CsvBlock& block);

 private:
  void read_more(std::vector<char>& buffer, std::size_t& size, std::size_t wanted);
  void take_rest(CsvBlock& block, std::size_t wanted);
  void give_back(CsvBlock& block, std::size_t whole);
  [[noreturn]] void fail_too_long() const;

  Input& input_;
  std::size_t block_bytes_;
  CsvDialect dialect_;
  std::vector<char> rest_;  // read and not handed out: [rest_at_, rest_size_)
  std::size_t rest_at_ = 0, rest_size_ = 0;
  bool at_end_ = false;
};

}  // namespace craton
