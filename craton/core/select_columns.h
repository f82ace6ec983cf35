#pragma once
#include <memory>
#include <vector>

#include "craton/core/source.h"

namespace craton {

// Some columns of another source, in any order; one more may be the weights of the rows.
class SelectedSource final : public Source {
 public:
  static constexpr Index kNoWeights = -1;

  // requires columns of the source. Borrows the source.
  SelectedSource(Source& source, std::vector<Index> columns, Index weights = kNoWeights);
  // The same, and owns it.
  SelectedSource(std::unique_ptr<Source> source, std::vector<Index> columns,
                 Index weights = kNoWeights);
  Shape shape() const override { return {source_->shape().rows, schema_.size()}; }
  const Schema& schema() const override { return schema_; }
  void fetch(RowRange range, Block& block) override { source_->fetch(range, block); }
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override;
  std::string name() const override { return source_->name(); }
  Index line_of(Index row) const override { return source_->line_of(row); }

 private:
  std::unique_ptr<Source> owned_;
  Source* source_;
  std::vector<Index> columns_;
  Index weights_;
  Schema schema_;
};

}  // namespace craton
