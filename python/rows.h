#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/counts.h"
#include "python/text_column.h"

// Rows of NumPy's arrays and of SciPy's compressed sparse rows, and texts, borrowed.

namespace craton {

namespace nb = nanobind;

using DenseRows = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;  // of float or double
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Dense<T> view_of(const DenseRows& x) {
  const auto rows = static_cast<Index>(x.shape(0)), cols = static_cast<Index>(x.shape(1));
  const bool contiguous = cols <= 1 || x.stride(1) == 1;
  const Index stride = rows <= 1 ? cols : x.stride(0);
  if (!contiguous || stride < cols) throw nb::type_error("rows must be contiguous");
  return {static_cast<const T*>(x.data()), rows, cols, stride};
}

// Are these rows fit to be read: offsets that ascend to `entries` at most, columns that ascend
// within a row and are below `cols`?
inline bool are_rows(const Index* offsets, const std::int32_t* columns, RowRange range, Index cols,
                     Index entries) {
  Index falls = 0, before = -1;  // columns ascend but, perhaps, from one row to the next
  const Index begin = offsets[range.first];
  if (begin < 0) return false;
  for (Index i = range.first; i < range.last; ++i) {
    const Index first = offsets[i], last = offsets[i + 1];
    if (first > last || last > entries) return false;
    if (first == last) continue;
    if (columns[first] < 0 || columns[last - 1] >= cols) return false;
    falls += before >= columns[first] ? 1 : 0;
    before = columns[last - 1];
  }
  return count_descents(columns + begin, offsets[range.last] - begin) == falls;
}

// Of all rows; many are looked at side by side.
inline bool is_canonical(const Index* offsets, const std::int32_t* columns, Index rows, Index cols,
                         Index entries, int n_jobs) {
  constexpr Index kRowsOfTask = 1024;
  const Index tasks = (rows + kRowsOfTask - 1) / kRowsOfTask;
  std::vector<char> fine(usize(tasks));
  for_each(tasks, {.threads = entries < (1 << 17) ? 1 : n_jobs}, [&](Index t) {
    const RowRange range{t * kRowsOfTask, std::min((t + 1) * kRowsOfTask, rows)};
    fine[usize(t)] = are_rows(offsets, columns, range, cols, entries);
  });
  return std::count(fine.begin(), fine.end(), false) == 0;
}

// Compressed rows that were looked at, once for all calls that they are given to.
class SparseRows {
 public:
  // Arrays of NumPy, which it holds: int32 or int64, int32, float or double. ValueError unless the
  // rows are in canonical form.
  SparseRows(nb::object indptr, nb::object indices, nb::object data, std::pair<Index, Index> shape,
             int n_jobs)
      : indptr_(std::move(indptr)),
        indices_(std::move(indices)),
        data_(std::move(data)),
        shape_(shape) {
    const auto columns = nb::cast<Vector<std::int32_t>>(indices_, false);
    const auto values = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>>(data_, false);
    const auto [rows, cols] = shape;
    const std::span<const Index> offsets = read_offsets();
    const auto entries = static_cast<Index>(std::min(values.size(), columns.size()));
    const bool sound = std::ssize(offsets) == rows + 1 && offsets[0] == 0 &&
                       is_canonical(offsets.data(), columns.data(), rows, cols, entries, n_jobs);
    if (!sound) throw nb::value_error("the compressed rows are not in canonical form");
    if (values.dtype() == nb::dtype<float>()) {
      matrix_ = Sparse<float>{offsets.data(), columns.data(),
                              static_cast<const float*>(values.data()), rows, cols};
    } else if (values.dtype() == nb::dtype<double>()) {
      matrix_ = Sparse<double>{offsets.data(), columns.data(),
                               static_cast<const double*>(values.data()), rows, cols};
    } else {
      throw nb::type_error("the data must be float32 or float64");
    }
  }
  SparseRows(const SparseRows&) = delete;  // the matrix may lie in offsets_
  SparseRows& operator=(const SparseRows&) = delete;

  const Matrix& matrix() const { return matrix_; }
  const nb::object& indptr() const { return indptr_; }
  const nb::object& indices() const { return indices_; }
  const nb::object& data() const { return data_; }
  std::pair<Index, Index> shape() const { return shape_; }

 private:
  // SciPy's are int32 where that is enough: those are copied, here and nowhere else.
  std::span<const Index> read_offsets() {
    const auto any = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>>(indptr_, false);
    if (any.dtype() != nb::dtype<std::int32_t>()) {
      const auto offsets = nb::cast<Vector<Index>>(indptr_, false);
      return {offsets.data(), offsets.size()};
    }
    const auto* const first = static_cast<const std::int32_t*>(any.data());
    offsets_.assign(first, first + any.size());
    return offsets_;
  }

  nb::object indptr_, indices_, data_;
  std::pair<Index, Index> shape_;
  std::vector<Index> offsets_;
  Matrix matrix_;
};

inline void bind_sparse_rows(nb::module_& m) {
  nb::class_<SparseRows>(m, "SparseRows")
      .def(nb::init<nb::object, nb::object, nb::object, std::pair<Index, Index>, int>())
      .def_prop_ro("indptr", &SparseRows::indptr)
      .def_prop_ro("indices", &SparseRows::indices)
      .def_prop_ro("data", &SparseRows::data)
      .def_prop_ro("dtype", [](const SparseRows& x) { return nb::object(x.data().attr("dtype")); })
      .def_prop_ro("shape", &SparseRows::shape);
}

// Rows of a table: an array, SparseRows, or a TextColumn, which has no numbers. Borrows them.
class Rows {
 public:
  explicit Rows(const nb::object& x) {
    if (nb::isinstance<TextColumn>(x)) {
      texts_ = &nb::cast<const TextColumn&>(x);
      matrix_ = Dense<double>{nullptr, texts_->view().rows, 0, 0};
      return;
    }
    if (nb::isinstance<SparseRows>(x)) {
      matrix_ = nb::cast<const SparseRows&>(x).matrix();
      return;
    }
    dense_ = nb::cast<DenseRows>(x, false);
    if (dense_.dtype() == nb::dtype<float>()) {
      matrix_ = view_of<float>(dense_);
    } else if (dense_.dtype() == nb::dtype<double>()) {
      matrix_ = view_of<double>(dense_);
    } else {
      throw nb::type_error("the data must be float32 or float64");
    }
  }
  const Matrix& matrix() const { return matrix_; }
  const TextColumn* texts() const { return texts_; }  // null: numbers
  Index size() const { return shape_of(matrix_).rows; }

 private:
  DenseRows dense_;
  const TextColumn* texts_ = nullptr;
  Matrix matrix_;
};

}  // namespace craton
