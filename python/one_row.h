#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "craton/model/registry.h"

// The short way of a single row: a C-contiguous array of 1 x columns doubles, and a model that
// takes a row without more ado. Everything else is left to the long way, errors included.

namespace craton {

// The doubles of an array, borrowed; none if it is not of that shape.
class OneRow {
 public:
  OneRow(PyObject* array, Index rows, Index cols, bool write = false) {
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (write ? PyBUF_WRITABLE : 0);
    held_ = PyObject_GetBuffer(array, &buffer_, flags) == 0;
    if (!held_) {
      PyErr_Clear();
      return;
    }
    fits_ = buffer_.ndim == 2 && buffer_.shape[0] == rows && buffer_.shape[1] == cols &&
            std::strcmp(buffer_.format, "d") == 0 &&
            reinterpret_cast<std::uintptr_t>(buffer_.buf) % alignof(double) == 0;
  }
  OneRow(const OneRow&) = delete;
  OneRow& operator=(const OneRow&) = delete;
  ~OneRow() {
    if (held_) PyBuffer_Release(&buffer_);
  }
  bool fits() const { return fits_; }
  std::span<double> values() const {
    return {static_cast<double*>(buffer_.buf), usize(buffer_.shape[1])};
  }

 private:
  Py_buffer buffer_;
  bool held_ = false, fits_ = false;
};

// What f(row, work) gives; none when that is not the way to go.
template <class F>
auto with_row(const Fitted& m, nanobind::handle x, const F& f)
    -> std::optional<decltype(f(std::span<double>(), std::declval<RowWork&>()))> {
  const auto is_number = [](const Column& c) { return c.kind == ColumnKind::kNumber; };
  if (!m.info().abilities.rows || !std::ranges::all_of(m.schema.columns, is_number)) return {};
  const OneRow row(x.ptr(), 1, m.model->columns());
  if (!row.fits()) return {};
  for (const double v : row.values()) {
    if (!std::isfinite(v)) return {};
  }
  RowWork work(*m.model);
  return f(row.values(), work);
}

inline void bind_one_row(nanobind::class_<Fitted>& model) {
  using nanobind::handle;
  using Row = std::span<const double>;
  model
      .def("predict_row",
           [](const Fitted& m, handle x) {
             return with_row(
                 m, x, [&](Row row, RowWork& work) { return m.model->predict_row(row, work); });
           })
      .def("predict_log_proba_row",
           [](const Fitted& m, handle x, handle out) -> std::optional<bool> {
             const OneRow log_p(out.ptr(), 1, m.model->classes(), true);
             if (!log_p.fits()) return {};
             return with_row(m, x, [&](Row row, RowWork& work) {
               m.model->predict_log_proba_row(row, work, log_p.values());
               return true;
             });
           })
      .def("predict_number_row",
           [](const Fitted& m, handle x) {
             return with_row(m, x, [&](Row row, RowWork& work) {
               return m.model->predict_number_row(row, work);
             });
           })
      .def("score_row", [](const Fitted& m, handle x) {
        return with_row(m, x,
                        [&](Row row, RowWork& work) { return m.model->score_row(row, work); });
      });
}

}  // namespace craton
