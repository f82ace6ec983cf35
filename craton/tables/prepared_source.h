#pragma once
#include "craton/base/source_over.h"
#include "craton/tables/preparation.h"

namespace craton {

// The rows of a table as a model sees them: changed in place where they lie in the block, else
// copied there first. Borrows the table.
class PreparedSource final : public SourceOver {
 public:
  PreparedSource(Source& source, Preparation preparation);
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override {
    return reopen_as<PreparedSource>(preparation_);
  }

 private:
  Preparation preparation_;
};

}  // namespace craton
