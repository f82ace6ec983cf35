#include "craton/tables/prepared_source.h"

#include <algorithm>

namespace craton {
namespace {

template <class T>
void prepare_rows(const Preparation& preparation, const Dense<T>& x, double* out) {
  for (Index i = 0; i < x.rows; ++i) preparation.prepare(x.row(i), x.cols, out + i * x.cols);
}

}  // namespace

PreparedSource::PreparedSource(Source& source, Preparation preparation)
    : SourceOver(source), preparation_(std::move(preparation)) {}

void PreparedSource::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  const Index rows = chunk.rows(), cols = shape().cols;
  std::vector<std::byte> theirs;
  const auto dense = [&](const auto& x) {
    double* const out = make_room(block, chunk, rows * cols, theirs);
    prepare_rows(preparation_, x, out);
    chunk.x = Dense<double>{out, rows, cols, cols};
  };
  const auto sparse = [&](const auto& x) {
    if (!preparation_.keeps_zeros()) refuse_moving(*this);
    const Index first = x.offsets[0], count = x.offsets[rows] - first;
    // values, offsets and columns, the last two as wide as doubles or less
    double* const out = make_room(block, chunk, 2 * count + rows + 1, theirs);
    auto* const offsets = reinterpret_cast<Index*>(out + count);
    auto* const columns = reinterpret_cast<std::int32_t*>(offsets + rows + 1);
    for (Index i = 0; i <= rows; ++i) offsets[i] = x.offsets[i] - first;
    std::copy_n(x.columns + first, count, columns);
    for (Index i = 0; i < rows; ++i) {
      preparation_.prepare(x.values + x.offsets[i], columns + offsets[i],
                           offsets[i + 1] - offsets[i], out + offsets[i]);
    }
    chunk.x = Sparse<double>{offsets, columns, out, rows, cols};
  };
  const Matrix x = chunk.x;  // of the source: the chunk's changes
  std::visit(
      [&]<class View>(const View& view) {
        if constexpr (requires { view.stride; }) {
          dense(view);
        } else {
          sparse(view);
        }
      },
      x);
}

void PreparedSource::gather(std::span<const Index> rows, std::span<double> out) {
  source().gather(rows, out);
  const Index cols = shape().cols;
  for (Index i = 0; i < ssize(rows); ++i) {
    double* const row = &out[usize(i * cols)];
    preparation_.prepare(row, cols, row);
  }
}

}  // namespace craton
