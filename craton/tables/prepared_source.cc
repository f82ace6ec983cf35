#include "craton/tables/prepared_source.h"

namespace craton {

PreparedSource::PreparedSource(Source& source, Preparation preparation)
    : SourceOver(source), preparation_(std::move(preparation)) {}

void PreparedSource::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  change_rows(block, chunk, [&](Index, const RowValues& row) {
    if (row.columns == nullptr) return preparation_.prepare(row.values, row.count, row.values);
    if (!preparation_.keeps_zeros()) refuse_moving(*this);
    preparation_.prepare(row.values, row.columns, row.count, row.values);
  });
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
