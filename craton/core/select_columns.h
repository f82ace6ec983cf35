#pragma once
#include <memory>
#include <string>
#include <vector>

#include "craton/core/source.h"

namespace craton {

// Some columns of a table, in any order; others may be the weights and the targets of its rows.
struct Selection {
  static constexpr Index kNone = -1;

  struct Column {
    Index from = 0;
    std::vector<double> codes = {};        // of a category: what its codes become; none: the same
    std::vector<std::string> levels = {};  // and what they stand for then
  };
  std::vector<Column> columns = {};
  Index weights = kNone, targets = kNone;
};

class SelectedSource final : public Source {
 public:
  // requires columns of the source. Borrows the source.
  SelectedSource(Source& source, Selection selection);
  // The same, and owns it.
  SelectedSource(std::unique_ptr<Source> source, Selection selection);
  Shape shape() const override { return {source_->shape().rows, schema_.size()}; }
  const Schema& schema() const override { return schema_; }
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
  Selection selection_;
  bool as_they_are_ = false;  // all columns in their order, and nothing else
  Schema schema_;
};

}  // namespace craton
