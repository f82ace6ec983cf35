#include "craton/cluster/unit_rows.h"

#include <algorithm>
#include <cmath>

namespace craton {
bool make_unit(std::span<double> values) {
  double largest = 0, squares = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) return true;
    largest = std::max(largest, std::abs(v));
  }
  if (largest == 0) return false;
  const double scale = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
  for (double& v : values) {
    v *= scale;
    squares += v * v;
  }
  const double length = std::sqrt(squares);
  for (double& v : values) v /= length;
  return true;
}

void UnitRows::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  change_rows(block, chunk, [&](Index i, const RowValues& row) {
    if (make_unit({row.values, usize(row.count)}) || chunk.weight(i) == 0) return;
    throw InputError(Code::kZeroRow, place_of(chunk.first_row + i),
                     "the row is all zeros, so that no angle to a centre exists",
                     {"Leave such rows out, or take {}.", Ref::option("metric", "euclidean")});
  });
  chunk.labels = {};
  chunk.targets = {};
}

void UnitRows::gather(std::span<const Index> rows, std::span<double> out) {
  source().gather(rows, out);
  const std::size_t cols = usize(shape().cols);
  for (std::size_t i = 0; i < rows.size(); ++i) make_unit(out.subspan(i * cols, cols));
}

}  // namespace craton
