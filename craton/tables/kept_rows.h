#pragma once
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/base/source_over.h"
#include "craton/engine/exec.h"

namespace craton {

// A table that is decoded once and kept as doubles, for rows that would be made anew in every pass.
// Sparse ones are not: they come from the table, as ever. Borrows the table.
class KeptRows final : public SourceOver {
 public:
  KeptRows(Source& source, const Exec& exec);
  void fetch(RowRange range, Block& block) override;
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override { return source().reopen(); }
  bool in_memory() const override { return !values_.empty(); }

 private:
  Dense<double> all() const { return {values_.data(), shape().rows, shape().cols, shape().cols}; }

  LargePageTable<double> values_;  // none: nothing is kept
  std::vector<std::int32_t> labels_;
  std::vector<double> targets_, weights_;
};

}  // namespace craton
