#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

namespace craton {

// Some of the rows of a table: a bit for each, and how many lie before each 4096th.
class RowSet {
 public:
  // Those in which neither a value nor the weight is missing, nor the number that is their target.
  // One pass, or none where the table knows that it misses nothing.
  static RowSet complete(Source& x, const Exec& exec);
  // Those of each label below `labels`, in one pass.
  static std::vector<RowSet> by_label(Source& x, Index labels, const Exec& exec);
  static RowSet where(Index rows, FunctionRef<bool(Index)> wanted);  // asked in ascending order

  Index size() const { return before_.back(); }  // of the set
  Index rows() const { return rows_; }           // of the table
  bool contains(Index row) const { return (words_[usize(row / kBits)] >> (row % kBits) & 1) != 0; }
  Index rank(Index row) const;           // how many lie before; requires row <= rows()
  Index operator[](Index number) const;  // requires number < size()
  Index first_absent() const;            // requires size() < rows()

  // Calls f with each row of the set that lies in the range, in ascending order.
  template <class F>
  void each(RowRange range, const F& f) const {
    for (Index row = range.first; row < range.last;) {
      const Index end = std::min(range.last, row - row % kBits + kBits);
      std::uint64_t word = words_[usize(row / kBits)] >> (row % kBits);
      for (; word != 0 && row + std::countr_zero(word) < end; word &= word - 1) {
        f(row + std::countr_zero(word));
      }
      row = end;
    }
  }

 private:
  static constexpr Index kBits = 64;  // of a word

  explicit RowSet(Index rows);
  void add(Index row) { words_[usize(row / kBits)] |= std::uint64_t{1} << (row % kBits); }
  void count();

  Index rows_;
  std::vector<std::uint64_t> words_;
  std::vector<Index> before_;  // each group of words, and all
};

}  // namespace craton
