#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "craton/base/matrix.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/counts.h"

// Rows of NumPy's arrays and of SciPy's compressed sparse rows, borrowed.

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

// Rows of a table: an array, or an object with indptr, indices, data and shape (compressed rows).
class Rows {
 public:
  Rows(const nb::object& x, int n_jobs) : n_jobs_(n_jobs) {
    if (nb::hasattr(x, "indptr")) {
      read_sparse(x);
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
  Index size() const { return shape_of(matrix_).rows; }

 private:
  void read_sparse(const nb::object& x) {
    offsets_ = nb::cast<Vector<Index>>(x.attr("indptr"), false);
    columns_ = nb::cast<Vector<std::int32_t>>(x.attr("indices"), false);
    values_ = x.attr("data");
    const auto [rows, cols] = nb::cast<std::pair<Index, Index>>(x.attr("shape"));
    if (nb::ndarray<nb::ro> any = nb::cast<nb::ndarray<nb::ro>>(values_, false);
        any.dtype() == nb::dtype<float>()) {
      matrix_ = sparse<float>(rows, cols);
    } else {
      matrix_ = sparse<double>(rows, cols);
    }
  }
  template <class T>
  Sparse<T> sparse(Index rows, Index cols) const {
    const auto values = nb::cast<Vector<T>>(values_, false);
    const Index* offsets = offsets_.data();
    const auto entries = static_cast<Index>(std::min(values.size(), columns_.size()));
    const bool sound = static_cast<Index>(offsets_.size()) == rows + 1 && offsets[0] == 0 &&
                       is_canonical(offsets, columns_.data(), rows, cols, entries, n_jobs_);
    if (!sound) throw nb::value_error("the compressed rows are not in canonical form");
    return {offsets, columns_.data(), values.data(), rows, cols};
  }

  int n_jobs_;  // for the time of looking at them
  DenseRows dense_;
  Vector<Index> offsets_;
  Vector<std::int32_t> columns_;
  nb::object values_;
  Matrix matrix_;
};

}  // namespace craton
