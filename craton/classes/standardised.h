#pragma once
#include <memory>
#include <vector>

#include "craton/core/source.h"

namespace craton {

// (x - mean) / scale by column, in float: for starts, which need no more digits, and which must not
// change when the last digits of mean and scale do (rows are drawn by a hash of their values).
class StandardisedSource final : public Source {
 public:
  // Borrows the source. requires one mean and one positive scale for each column.
  StandardisedSource(Source& source, std::vector<double> mean, std::vector<double> scale);
  Shape shape() const override { return source_->shape(); }
  const Schema& schema() const override { return source_->schema(); }
  void fetch(RowRange range, Block& block) override { source_->fetch(range, block); }
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return source_->name(); }
  Index line_of(Index row) const override { return source_->line_of(row); }

  Array restore(Array rows) const;  // in the units of the source

 private:
  float standardise(double value, std::size_t column) const {
    return static_cast<float>((value - mean_[column]) / scale_[column]);
  }

  std::unique_ptr<Source> owned_;
  Source* source_;
  std::vector<double> mean_, scale_;
};

}  // namespace craton
