#pragma once
#include "craton/core/large.h"
#include "craton/core/preparation.h"
#include "craton/core/source_over.h"

namespace craton {

// The rows of a table as a model sees them. Borrows the table.
class PreparedSource final : public SourceOver {
 public:
  PreparedSource(Source& source, Preparation preparation);
  // Dense rows in memory are prepared once, not in every pass.
  void keep(const Exec& exec);
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<PreparedSource>(preparation_);
  }
  bool in_memory() const override { return !kept_.empty(); }

 private:
  Preparation preparation_;
  LargeTable<double> kept_;  // all rows, or none
};

}  // namespace craton
