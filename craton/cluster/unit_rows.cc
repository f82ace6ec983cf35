#include "craton/cluster/unit_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace craton {
namespace {

// Where the parts of a new chunk go, one after the other. Those of the old one may lie in its
// block, so the new ones are made beside them.
struct Made {
  Made(Index rows, Index entries, bool sparse)
      : bytes(
            usize(rows + entries) * sizeof(double) +
            (sparse ? usize(rows + 1) * sizeof(Index) + usize(entries) * sizeof(std::int32_t) : 0)),
        weights(reinterpret_cast<double*>(bytes.data())),
        values(weights + rows),
        offsets(reinterpret_cast<Index*>(values + entries)),
        columns(reinterpret_cast<std::int32_t*>(offsets + rows + 1)) {}

  std::vector<std::byte> bytes;
  double *weights, *values;
  Index* offsets;         // of sparse rows
  std::int32_t* columns;  // likewise
};

template <class T>
std::pair<Made, Matrix> copied(const Dense<T>& x) {
  Made made(x.rows, x.rows * x.cols, false);
  for (Index i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, made.values + i * x.cols);
  const Matrix view = Dense<double>{made.values, x.rows, x.cols, x.cols};
  return {std::move(made), view};
}

template <class T>
std::pair<Made, Matrix> copied(const Sparse<T>& x) {
  const Index first = x.offsets[0], entries = x.offsets[x.rows] - first;
  Made made(x.rows, entries, true);
  std::copy_n(x.values + first, entries, made.values);
  std::copy_n(x.columns + first, entries, made.columns);
  for (Index i = 0; i <= x.rows; ++i) made.offsets[i] = x.offsets[i] - first;
  const Matrix view = Sparse<double>{made.offsets, made.columns, made.values, x.rows, x.cols};
  return {std::move(made), view};
}

}  // namespace

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
  auto [made, view] = std::visit([](const auto& x) { return copied(x); }, chunk.x);
  const Index rows = chunk.rows(), cols = shape().cols;
  const bool sparse = std::holds_alternative<Sparse<double>>(view);
  for (Index i = 0; i < rows; ++i) {
    const Index first = sparse ? made.offsets[i] : i * cols;
    const Index last = sparse ? made.offsets[i + 1] : first + cols;
    if (make_unit({made.values + first, usize(last - first)}) || chunk.weight(i) == 0) continue;
    throw InputError(Code::kZeroRow, place_of(chunk.first_row + i),
                     "the row is all zeros, so that no angle to a centre exists",
                     "Leave such rows out, or take metric = euclidean.");
  }
  std::copy(chunk.weights.begin(), chunk.weights.end(), made.weights);
  if (!chunk.weights.empty()) chunk.weights = {made.weights, usize(rows)};
  chunk.x = view;
  chunk.labels = {};
  chunk.targets = {};
  std::swap(block.decoded, made.bytes);
}

void UnitRows::gather(std::span<const Index> rows, std::span<double> out) {
  source().gather(rows, out);
  const std::size_t cols = usize(shape().cols);
  for (std::size_t i = 0; i < rows.size(); ++i) make_unit(out.subspan(i * cols, cols));
}

}  // namespace craton
