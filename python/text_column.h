#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/base/matrix.h"
#include "craton/engine/for_each.h"

// Texts of Python as one piece of UTF-8: strings are copied once, columns of Arrow are borrowed.

namespace craton {

namespace nb = nanobind;

// One string, wherever it lies. Code points that are no characters (halves of surrogate pairs)
// become U+FFFD, which like them is part of no word.
class PythonText {
 public:
  explicit PythonText(PyObject* text)
      : data_(PyUnicode_DATA(text)),
        length_(PyUnicode_GET_LENGTH(text)),
        kind_(PyUnicode_IS_ASCII(text) ? 0 : static_cast<int>(PyUnicode_KIND(text))) {}

  Index size() const {  // in bytes of UTF-8
    Index size = 0;
    visit([&](auto characters) { size = size_of(characters); });
    return size;
  }
  char* copy(char* to) const {
    visit([&](auto characters) { to = copy_of(characters, to); });
    return to;
  }

 private:
  template <class F>
  void visit(const F& f) const {
    const auto size = static_cast<std::size_t>(length_);
    if (kind_ == 0) return f(std::string_view(static_cast<const char*>(data_), size));
    if (kind_ == PyUnicode_1BYTE_KIND)
      return f(std::span(static_cast<const Py_UCS1*>(data_), size));
    if (kind_ == PyUnicode_2BYTE_KIND)
      return f(std::span(static_cast<const Py_UCS2*>(data_), size));
    f(std::span(static_cast<const Py_UCS4*>(data_), size));
  }
  static Index size_of(std::string_view ascii) { return ssize(ascii); }
  static char* copy_of(std::string_view ascii, char* to) {
    std::memcpy(to, ascii.data(), ascii.size());
    return to + ascii.size();
  }
  template <class C>
  static Index size_of(std::span<const C> characters) {
    Index size = 0;
    for (const std::uint32_t c : characters) {
      size += 1 + (c >= 0x80 ? 1 : 0) + (c >= 0x800 ? 1 : 0) + (c >= 0x10000 ? 1 : 0);
    }
    return size;
  }
  template <class C>
  static char* copy_of(std::span<const C> characters, char* to) {
    const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
    for (std::uint32_t c : characters) {
      if (c < 0x80) {
        put(c);
        continue;
      }
      if (c < 0x800) {
        put(0xC0 | c >> 6);
      } else {
        if (c >= 0xD800 && c < 0xE000) c = 0xFFFD;
        if (c < 0x10000) {
          put(0xE0 | c >> 12);
        } else {
          put(0xF0 | c >> 18);
          put(0x80 | (c >> 12 & 0x3F));
        }
        put(0x80 | (c >> 6 & 0x3F));
      }
      put(0x80 | (c & 0x3F));
    }
    return to;
  }

  const void* data_;
  Py_ssize_t length_;
  int kind_;  // 0: ASCII
};

class TextColumn {
 public:
  // Of a list or tuple of str; else the row of the first that is none. Strings do not change: they
  // are copied side by side.
  static std::variant<std::unique_ptr<TextColumn>, Index> of_strings(nb::handle texts,
                                                                     std::string name, int n_jobs) {
    PyObject** const items = PySequence_Fast_ITEMS(texts.ptr());
    const Index rows = PySequence_Fast_GET_SIZE(texts.ptr());
    auto column = std::make_unique<TextColumn>(std::move(name));
    column->offsets_.reserve(usize(rows + 1));
    column->offsets_.push_back(0);
    for (Index i = 0; i < rows; ++i) {
      if (!PyUnicode_Check(items[i])) return i;
      column->offsets_.push_back(column->offsets_.back() + PythonText(items[i]).size());
    }
    const auto bytes = usize(column->offsets_.back());
    column->own_ = std::make_unique_for_overwrite<char[]>(bytes);
    wish_large_pages(column->own_.get(), bytes);
    constexpr Index kTask = 256;
    for_each((rows + kTask - 1) / kTask, {.threads = n_jobs}, [&](Index task) {
      for (Index i = task * kTask; i < std::min((task + 1) * kTask, rows); ++i) {
        PythonText(items[i]).copy(column->own_.get() + column->offsets_[usize(i)]);
      }
    });
    column->view_ = {column->own_.get(), column->offsets_.data(), rows};
    return column;
  }

  // Of Arrow's buffers: offsets of 32 or 64 bits, `first` of them passed over, and bytes.
  static std::unique_ptr<TextColumn> of_arrow(nb::object bytes, nb::object offsets, Index first,
                                              Index rows, std::string name) {
    using Letters = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig>;
    using Offsets = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>;
    auto column = std::make_unique<TextColumn>(std::move(name));
    const auto text = nb::cast<Letters>(bytes, false);
    const auto ends = nb::cast<Offsets>(offsets, false);
    if (first < 0 || rows < 0 || first + rows >= static_cast<Index>(ends.size())) {
      throw nb::value_error("one offset more than texts");
    }
    column->view_ = {reinterpret_cast<const char*>(text.data()), nullptr, rows};
    if (ends.dtype() == nb::dtype<Index>()) {
      column->view_.offsets = static_cast<const Index*>(ends.data()) + first;
    } else if (ends.dtype() == nb::dtype<std::int32_t>()) {
      const auto* const narrow = static_cast<const std::int32_t*>(ends.data()) + first;
      column->offsets_.assign(narrow, narrow + rows + 1);
      column->view_.offsets = column->offsets_.data();
    } else {
      throw nb::type_error("offsets must be int32 or int64");
    }
    const Index* const at = column->view_.offsets;
    bool sound = at[0] >= 0 && at[rows] <= static_cast<Index>(text.size());
    for (Index i = 0; i < rows; ++i) sound = sound && at[i] <= at[i + 1];
    if (!sound) throw nb::value_error("the offsets do not ascend within the bytes");
    column->held_ = nb::make_tuple(std::move(bytes), std::move(offsets));
    return column;
  }

  explicit TextColumn(std::string name) : name_(std::move(name)) {}
  TextColumn(const TextColumn&) = delete;  // the view may be of what it owns
  TextColumn& operator=(const TextColumn&) = delete;

  const Texts& view() const { return view_; }
  const std::string& name() const { return name_; }
  // Some of its rows, in its memory; `whole` is the object of this one.
  static std::unique_ptr<TextColumn> part(const nb::object& whole, Index first, Index last) {
    const auto& all = nb::cast<const TextColumn&>(whole);
    if (first < 0 || last < first || last > all.view_.rows) throw nb::index_error("no such rows");
    auto column = std::make_unique<TextColumn>(all.name_);
    column->view_ = all.view_.slice({first, last});
    column->held_ = whole;
    return column;
  }

 private:
  std::string name_;
  std::unique_ptr<char[]> own_;
  std::vector<Index> offsets_;
  nb::object held_;
  Texts view_;
};

inline void bind_text_column(nb::module_& m) {
  nb::class_<TextColumn>(m, "TextColumn")
      .def_static("of_strings", &TextColumn::of_strings)
      .def_static("of_arrow", &TextColumn::of_arrow)
      .def("part", [](const nb::object& self, Index first,
                      Index last) { return TextColumn::part(self, first, last); })
      .def("__len__", [](const TextColumn& column) { return column.view().rows; })
      .def("__getitem__",
           [](const TextColumn& column, Index row) {
             if (row < 0 || row >= column.view().rows) throw nb::index_error("no such row");
             return column.view()[row];
           })
      .def_prop_ro("shape",
                   [](const TextColumn& column) { return nb::make_tuple(column.view().rows, 0); })
      .def_prop_ro(
          "dtype",  // of what models make of it
          [](const TextColumn&) { return nb::module_::import_("numpy").attr("dtype")("float64"); })
      .def_prop_ro("name", &TextColumn::name);
}

}  // namespace craton
