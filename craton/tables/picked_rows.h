#pragma once
#include <span>

#include "craton/base/source_over.h"

namespace craton {

// Rows of a table by number, in any order, dense or sparse: those of a table in memory in their own
// type, others as doubles. They have the given weights, one for each row of the table, or none.
// Borrows the table, the weights and the numbers.
//
// Where in_place() gives a table, an accumulator may take its rows by numbers() instead, and spare
// their copies: those of a chunk are numbers()[chunk.first_row] and on.
class PickedRows final : public SourceOver {
 public:
  PickedRows(Source& source, std::span<const double> weights);
  void pick(std::span<const Index> numbers) { numbers_ = numbers; }
  std::span<const Index> numbers() const { return numbers_; }
  const Matrix* in_place() const { return all_.rows() > 0 ? &all_.x : nullptr; }
  // requires in_place(). From now on chunks have weights, but no values.
  void leave_in_place() { copies_ = false; }

  Shape shape() const override { return {ssize(numbers_), source().shape().cols}; }
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  Index row_in_file(Index row) const override { return source().row_in_file(number(row)); }
  Index line_of(Index row) const override { return source().line_of(number(row)); }

 private:
  Index number(Index row) const { return numbers_[usize(row)]; }

  std::span<const double> weights_;
  std::span<const Index> numbers_;
  Block whole_;
  Chunk all_;  // the table, when it is in memory
  bool copies_ = true, sparse_ = false;
};

}  // namespace craton
