#pragma once
#include <memory>

#include "craton/base/source_over.h"

namespace craton {

// x / |x|, in double, dense or sparse as the source is. A row of zeros has no direction: InputError
// (kZeroRow) names it, unless its weight is 0. Rows that are not finite stay as they are, for
// others to complain of. Labels and targets are left out.
class UnitRows final : public SourceOver {
 public:
  explicit UnitRows(Source& source) : SourceOver(source) {}  // borrows it
  void decode(Block& block, Chunk& chunk) const override;
  void gather(std::span<const Index> rows, std::span<double> out) override;
  std::unique_ptr<Source> reopen() const override { return reopen_as<UnitRows>(); }
};

// Divides some values by the root of their sum of squares, which neither overflows nor vanishes.
// The zeros between them change no bit. False: all are zero, and stay so.
bool make_unit(std::span<double> values);

}  // namespace craton
