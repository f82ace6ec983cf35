#pragma once
#include <memory>

#include "craton/core/source.h"

namespace craton {

// x / |x|, in double, dense or sparse as the source is. A row of zeros has no direction: InputError
// (kZeroRow) names it, unless its weight is 0. Rows that are not finite stay as they are, for
// others to complain of. Labels and targets are left out.
class UnitRows final : public Source {
 public:
  explicit UnitRows(Source& source) : source_(&source) {}  // borrows it
  Shape shape() const override { return source_->shape(); }
  const Schema& schema() const override { return source_->schema(); }
  void fetch(RowRange range, Block& block) override { source_->fetch(range, block); }
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return source_->name(); }
  Index row_in_file(Index row) const override { return source_->row_in_file(row); }
  Index line_of(Index row) const override { return source_->line_of(row); }

 private:
  std::unique_ptr<Source> owned_;
  Source* source_;
};

// Divides some values by the root of their sum of squares, which neither overflows nor vanishes.
// The zeros between them change no bit. False: all are zero, and stay so.
bool make_unit(std::span<double> values);

}  // namespace craton
