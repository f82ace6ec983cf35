#pragma once
#include <memory>
#include <string>
#include <vector>

#include "craton/base/source_over.h"

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

class SelectedSource final : public SourceOver {
 public:
  // requires columns of the source. Borrows the source.
  SelectedSource(Source& source, Selection selection);
  // The same, and owns it.
  SelectedSource(std::unique_ptr<Source> source, Selection selection);
  Shape shape() const override { return {source().shape().rows, schema_.size()}; }
  const Schema& schema() const override { return schema_; }
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override { return reopen_as<SelectedSource>(selection_); }

 private:
  Selection selection_;
  bool as_they_are_ = false;  // all columns in their order, and nothing else
  Schema schema_;
};

}  // namespace craton
