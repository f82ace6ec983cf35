#pragma once
#include <memory>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/base/source_over.h"
#include "craton/engine/exec.h"

namespace craton {

// Some of the rows of a table: a bit for each, and how many lie before each 4096th.
class RowSet {
 public:
  // Those in which neither a value nor the weight is missing. One pass.
  static RowSet complete(Source& x, const Exec& exec);
  // Those of each label below `labels`, in one pass.
  static std::vector<RowSet> by_label(Source& x, Index labels, const Exec& exec);
  static RowSet where(Index rows, FunctionRef<bool(Index)> wanted);

  Index size() const { return before_.back(); }  // of the set
  Index rows() const { return rows_; }           // of the table
  bool contains(Index row) const { return (words_[usize(row / 64)] >> (row % 64) & 1) != 0; }
  Index rank(Index row) const;           // how many lie before; requires row <= rows()
  Index operator[](Index number) const;  // requires number < size()
  Index first_absent() const;            // requires size() < rows()

 private:
  explicit RowSet(Index rows);
  void count();

  Index rows_;
  std::vector<std::uint64_t> words_;
  std::vector<Index> before_;  // each group of words, and all
};

// The rows of a set, in their order, as doubles; sparse ones stay sparse. Borrows both.
class SelectedRows final : public SourceOver {
 public:
  SelectedRows(Source& source, const RowSet& rows);
  Shape shape() const override { return {rows_.size(), source().shape().cols}; }
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override { return reopen_as<SelectedRows>(rows_); }
  Index row_in_file(Index row) const override { return source().row_in_file(rows_[row]); }
  Index line_of(Index row) const override { return source().line_of(rows_[row]); }

 private:
  const RowSet& rows_;
};

// The rows of a range. Borrows the source.
class RowSlice final : public SourceOver {
 public:
  RowSlice(Source& source, RowRange range) : SourceOver(source), range_(range) {}
  Shape shape() const override { return {range_.size(), source().shape().cols}; }
  void fetch(RowRange range, Block& block) override {
    source().fetch({range_.first + range.first, range_.first + range.last}, block);
  }
  void decode(Block& block, Chunk& chunk) const override {
    source().decode(block, chunk);
    chunk.first_row -= range_.first;
  }
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override { return reopen_as<RowSlice>(range_); }
  Index row_in_file(Index row) const override { return source().row_in_file(range_.first + row); }
  Index line_of(Index row) const override { return source().line_of(range_.first + row); }

 private:
  RowRange range_;
};

}  // namespace craton
