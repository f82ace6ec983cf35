#pragma once
#include <memory>

#include "craton/base/source.h"

namespace craton {

// A table made of another one, row by row: what is not said otherwise is as it is there. Borrows
// that, or owns it.
class SourceOver : public Source {
 public:
  Shape shape() const override { return source_->shape(); }
  const Schema& schema() const override { return source_->schema(); }
  void fetch(RowRange range, Block& block) override { source_->fetch(range, block); }
  void gather(std::span<const Index> rows, std::span<double> out) override {
    source_->gather(rows, out);
  }
  std::string name() const override { return source_->name(); }
  std::string scratch_folder() const override { return source_->scratch_folder(); }
  Index row_in_file(Index row) const override { return source_->row_in_file(row); }
  Index line_of(Index row) const override { return source_->line_of(row); }

 protected:
  explicit SourceOver(Source& source) : source_(&source) {}
  Source& source() const { return *source_; }

  // T(source, arguments) over the source opened again.
  template <class T, class... Arguments>
  std::unique_ptr<Source> reopen_as(const Arguments&... arguments) const {
    std::unique_ptr<Source> source = source_->reopen();
    auto result = std::make_unique<T>(*source, arguments...);
    result->owned_ = std::move(source);
    return result;
  }

 private:
  std::unique_ptr<Source> owned_;
  Source* source_;
};

// One row as doubles that may be changed: all its values, or the entries of a sparse one.
struct RowValues {
  double* values;
  const std::int32_t* columns;  // null: all
  Index count;
};

namespace detail {

template <class T, class F>
Matrix change_rows(const Dense<T>& x, Block& block, double* own, const F& f) {
  const Index stride = own != nullptr ? x.stride : x.cols;
  const std::size_t bytes = usize(x.rows * x.cols) * sizeof(double);
  double* const out =
      own != nullptr ? own : reinterpret_cast<double*>(block.room(Matrix(x), bytes));
  for (Index i = 0; i < x.rows; ++i) {
    double* const row = out + i * stride;
    if (own == nullptr) copy_row(x, i, row);
    f(i, RowValues{row, nullptr, x.cols});
  }
  return Dense<double>{out, x.rows, x.cols, stride};
}

template <class T, class F>
Matrix change_rows(const Sparse<T>& x, Block& block, double* own, const F& f) {
  const auto change_all = [&](const Index* offsets, const std::int32_t* columns, double* values) {
    for (Index i = 0; i < x.rows; ++i) {
      f(i, RowValues{values + offsets[i], columns + offsets[i], offsets[i + 1] - offsets[i]});
    }
    return Sparse<double>{offsets, columns, values, x.rows, x.cols};
  };
  if (own != nullptr) return change_all(x.offsets, x.columns, own);
  const Index first = x.offsets[0], count = x.offsets[x.rows] - first;
  auto* const values =
      reinterpret_cast<double*>(block.room(Matrix(x), usize(count + x.rows + 1) * sizeof(double)));
  auto* const offsets = reinterpret_cast<Index*>(values + count);
  for (Index i = 0; i <= x.rows; ++i) offsets[i] = x.offsets[i] - first;
  for (Index e = 0; e < count; ++e) values[e] = static_cast<double>(x.values[first + e]);
  return change_all(offsets, x.columns + first, values);
}

}  // namespace detail

// Calls f(i, RowValues) for each row i of the chunk, which has the changed rows then: in place
// where they are doubles in memory of the block, else copied there.
template <class F>
void change_rows(Block& block, Chunk& chunk, const F& f) {
  double* const own = block.own(chunk.x);
  chunk.x = std::visit([&](const auto& x) { return detail::change_rows(x, block, own, f); },
                       Matrix(chunk.x));
}

}  // namespace craton
