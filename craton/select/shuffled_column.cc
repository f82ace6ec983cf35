#include "craton/select/shuffled_column.h"

#include <algorithm>
#include <cmath>

#include "craton/engine/for_each.h"

namespace craton {
namespace {

template <class T>
double value_in(const Dense<T>& x, Index row, Index column) {
  return static_cast<double>(x.row(row)[column]);
}

template <class T>
double value_in(const Sparse<T>& x, Index row, Index column) {
  const auto *const first = x.columns + x.offsets[row], *const last =
                                                            x.columns + x.offsets[row + 1];
  const auto* const at = std::lower_bound(first, last, column);
  return at == last || *at != column ? 0 : static_cast<double>(x.values[at - x.columns]);
}

// The rows in memory of the block, with other values in a column: f(row).
template <class T, class F>
Matrix with_column(const Dense<T>& x, Block& block, Index column, const F& f) {
  double* const own = block.own(Matrix(x));
  const Index stride = own != nullptr ? x.stride : x.cols;
  double* const out = own != nullptr ? own
                                     : reinterpret_cast<double*>(block.room(
                                           Matrix(x), usize(x.rows * x.cols) * sizeof(double)));
  for (Index i = 0; i < x.rows; ++i) {
    if (own == nullptr) copy_row(x, i, out + i * stride);
    out[i * stride + column] = f(i);
  }
  return Dense<double>{out, x.rows, x.cols, stride};
}

template <class T, class F>
Matrix with_column(const Sparse<T>& x, Block& block, Index column, const F& f) {
  const Index most = x.offsets[x.rows] - x.offsets[0] + x.rows;  // an entry more in each row
  const std::size_t bytes =
      usize(most) * (sizeof(double) + sizeof(std::int32_t)) + usize(x.rows + 1) * sizeof(Index);
  auto* const values = reinterpret_cast<double*>(block.room(Matrix(x), bytes));
  auto* const offsets = reinterpret_cast<Index*>(values + most);
  auto* const columns = reinterpret_cast<std::int32_t*>(offsets + x.rows + 1);
  Index count = 0;
  const auto add = [&](std::int32_t at, double value) {
    columns[count] = at;
    values[count++] = value;
  };
  offsets[0] = 0;
  for (Index i = 0; i < x.rows; ++i) {
    const double value = f(i);
    bool placed = value == 0;
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      if (!placed && x.columns[e] >= column) {
        add(static_cast<std::int32_t>(column), value);
        placed = true;
      }
      if (x.columns[e] != column) add(x.columns[e], static_cast<double>(x.values[e]));
    }
    if (!placed) add(static_cast<std::int32_t>(column), value);
    offsets[i + 1] = count;
  }
  return Sparse<double>{offsets, columns, values, x.rows, x.cols};
}

}  // namespace

ColumnValues::ColumnValues(Source& x, Index column) : column_(column) {
  const auto [rows, cols] = x.shape();
  if (column < cols) values_.resize(usize(rows));
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    if (column >= cols) return texts_.add(chunk.texts[usize(column - cols)]);
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double value =
          std::visit([&](const auto& m) { return value_in(m, i, column); }, chunk.x);
      values_[usize(chunk.first_row + i)] = value;
      missing_ = missing_ || std::isnan(value);
    }
  });
}

void ShuffledColumn::decode(Block& block, Chunk& chunk) const {
  source().decode(block, chunk);
  const Index first = chunk.first_row, column = values_->column(), cols = shape().cols;
  if (column < cols) {
    const auto value = [&](Index i) { return (*values_)[order_[usize(first + i)]]; };
    chunk.x = std::visit([&](const auto& x) { return with_column(x, block, column, value); },
                         Matrix(chunk.x));
    return;
  }
  const std::size_t text = usize(column - cols);
  std::vector<Texts> texts(chunk.texts.begin(), chunk.texts.end());
  block.text_room.resize(std::max(block.text_room.size(), texts.size()));
  TextArray& room = block.text_room[text];
  room.clear();
  const Texts all = values_->texts().view();
  for (Index i = 0; i < chunk.rows(); ++i) room.add(all[order_[usize(first + i)]]);
  texts[text] = room.view();
  block.texts = std::move(texts);
  chunk.texts = block.texts;
}

void ShuffledColumn::gather(std::span<const Index> rows, std::span<double> out) {
  const auto cols = shape().cols;
  source().gather(rows, out);
  if (values_->column() >= cols) return;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[i * usize(cols) + usize(values_->column())] = (*values_)[order_[usize(rows[i])]];
  }
}

}  // namespace craton
