#include "craton/tables/select_columns.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "craton/base/error.h"

namespace craton {
namespace {

double recoded(const Selection::Column& column, double value) {
  if (column.codes.empty() || std::isnan(value)) return value;
  return column.codes[static_cast<std::size_t>(value)];
}

template <class T>
void copy_columns(const Dense<T>& x, std::span<const Selection::Column> columns, double* out) {
  for (Index i = 0; i < x.rows; ++i) {
    const T* const row = x.row(i);
    for (const auto& column : columns) {
      *out++ = recoded(column, static_cast<double>(row[column.from]));
    }
  }
}

template <class T>
void copy_columns(const Sparse<T>& x, std::span<const Selection::Column> columns, double* out) {
  std::vector<double> row(usize(x.cols));
  for (Index i = 0; i < x.rows; ++i) {
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      row[usize(x.columns[e])] = static_cast<double>(x.values[e]);
    }
    for (const auto& column : columns) *out++ = recoded(column, row[usize(column.from)]);
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) row[usize(x.columns[e])] = 0;
  }
}

}  // namespace

SelectedSource::SelectedSource(Source& source, Selection selection)
    : SourceOver(source), selection_(std::move(selection)) {
  const Index cols = source.shape().cols;
  as_they_are_ = ssize(selection_.columns) == cols && selection_.weights == Selection::kNone &&
                 selection_.targets == Selection::kNone;
  for (const Index role : {selection_.weights, selection_.targets}) {
    CRATON_ASSERT(role >= Selection::kNone && role < cols);
  }
  for (const auto& [from, codes, levels] : selection_.columns) {
    CRATON_ASSERT(from >= 0 && from < cols);
    as_they_are_ &= from == schema_.size() && codes.empty();
    schema_.columns.push_back(source.schema().columns[usize(from)]);
    if (!codes.empty()) schema_.columns.back().levels = levels;
  }
  schema_.target = source.schema().target;
}

SelectedSource::SelectedSource(std::unique_ptr<Source> source, Selection selection)
    : SelectedSource(*source, std::move(selection)) {
  own(std::move(source));
}

void SelectedSource::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  if (as_they_are_ && !std::holds_alternative<Sparse<float>>(chunk.x) &&
      !std::holds_alternative<Sparse<double>>(chunk.x)) {
    return;
  }
  const Index rows = block.range.size(), cols = shape().cols;
  std::vector<std::byte> theirs;
  const Matrix x = chunk.x;
  double* const out = make_room(block, chunk, rows * cols, theirs);
  const auto copy = [&](std::span<const Selection::Column> columns, double* to) {
    std::visit([&](const auto& view) { copy_columns(view, columns, to); }, x);
  };
  copy(selection_.columns, out);
  const auto take = [&](Index column, double* to, std::span<const double>& role) {
    if (column == Selection::kNone) return;
    const Selection::Column one{.from = column};
    copy({&one, 1}, to);
    role = {to, usize(rows)};
  };
  take(selection_.weights, out + rows * cols, chunk.weights);
  take(selection_.targets, out + rows * (cols + 1), chunk.targets);
  chunk.x = Dense<double>{out, rows, cols, cols};
}

void SelectedSource::gather(std::span<const Index> rows, std::span<double> out) {
  const Index cols = shape().cols, width = source().shape().cols;
  CRATON_ASSERT(ssize(out) == ssize(rows) * cols);
  std::vector<double> row(usize(width));
  for (Index i = 0; i < ssize(rows); ++i) {
    source().gather(rows.subspan(usize(i), 1), row);
    copy_columns(Dense<double>{row.data(), 1, width, width}, selection_.columns,
                 &out[usize(i * cols)]);
  }
}

}  // namespace craton
