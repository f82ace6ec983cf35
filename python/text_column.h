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
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "craton/base/large_pages.h"
#include "craton/base/matrix.h"
#include "craton/engine/for_each.h"

// Texts of Python: strings and columns of Arrow are read where they lie. Who wants them in one
// piece of UTF-8 has strings copied, once.

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
  // The text itself if it is ASCII, else its UTF-8, in `room`.
  std::string_view view(std::string& room) const {
    if (kind_ == 0) return {static_cast<const char*>(data_), static_cast<std::size_t>(length_)};
    const auto bytes = static_cast<std::size_t>(size());
    if (room.size() < bytes) room.resize(bytes);
    copy(room.data());
    return {room.data(), bytes};
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
  // Of a list or tuple of str; else the row of the first that is none. Strings do not change, and
  // are held.
  static std::variant<std::unique_ptr<TextColumn>, Index> of_strings(nb::handle texts,
                                                                     std::string name, int n_jobs) {
    auto column = std::make_unique<TextColumn>(std::move(name));
    column->strings_ = nb::steal(PySequence_Tuple(texts.ptr()));
    column->n_jobs_ = n_jobs;
    column->items_ = PySequence_Fast_ITEMS(column->strings_.ptr());
    const Index rows = PySequence_Fast_GET_SIZE(column->strings_.ptr());
    std::vector<Index>& offsets = column->offsets_;
    offsets.resize(usize(rows) + 1);
    constexpr Index kOther = -1;
    for_rows(rows, n_jobs, [&](Index i) {
      PyObject* const item = column->items_[i];
      offsets[usize(i) + 1] = PyUnicode_Check(item) ? PythonText(item).size() : kOther;
    });
    const auto other = std::ranges::find(offsets, kOther);
    if (other != offsets.end()) return other - offsets.begin() - 1;
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    column->view_ = {nullptr, offsets.data(), rows};
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

  Index rows() const { return view_.rows; }
  const Index* offsets() const { return view_.offsets; }
  // From any thread. `room` is for strings that are not ASCII.
  std::string_view text(Index row, std::string& room) const {
    return view_.bytes == nullptr && items_ != nullptr ? PythonText(items_[row]).view(room)
                                                       : view_[row];
  }
  // In one piece. Holds the interpreter's lock, as the first call may copy strings.
  const Texts& view() const {
    if (view_.bytes == nullptr && items_ != nullptr) copy_strings();
    return view_;
  }
  const std::string& name() const { return name_; }
  // Some of its rows, in its memory; `whole` is the object of this one.
  static std::unique_ptr<TextColumn> part(const nb::object& whole, Index first, Index last) {
    const auto& all = nb::cast<const TextColumn&>(whole);
    if (first < 0 || last < first || last > all.rows()) throw nb::index_error("no such rows");
    auto column = std::make_unique<TextColumn>(all.name_);
    column->view_ = all.view().slice({first, last});
    column->held_ = whole;
    return column;
  }

 private:
  template <class F>
  static void for_rows(Index rows, int n_jobs, const F& f) {
    constexpr Index kTask = 256;
    for_each((rows + kTask - 1) / kTask, {.threads = n_jobs}, [&](Index task) {
      for (Index i = task * kTask; i < std::min((task + 1) * kTask, rows); ++i) f(i);
    });
  }
  void copy_strings() const {
    const auto bytes = usize(view_.offsets[view_.rows]);
    own_ = LargePageTable<char>(std::max<std::size_t>(1, bytes));
    for_rows(view_.rows, n_jobs_,
             [&](Index i) { PythonText(items_[i]).copy(own_.data() + view_.offsets[i]); });
    view_.bytes = own_.data();
  }

  std::string name_;
  nb::object strings_;          // a tuple
  PyObject** items_ = nullptr;  // of it; null: the texts lie in one piece
  int n_jobs_ = 1;
  mutable LargePageTable<char> own_;
  std::vector<Index> offsets_;
  nb::object held_;
  mutable Texts view_;  // no bytes: not yet in one piece
};

inline void bind_text_column(nb::module_& m) {
  nb::class_<TextColumn>(m, "TextColumn")
      .def_static("of_strings", &TextColumn::of_strings)
      .def_static("of_arrow", &TextColumn::of_arrow)
      .def("part", [](const nb::object& self, Index first,
                      Index last) { return TextColumn::part(self, first, last); })
      .def("__len__", &TextColumn::rows)
      .def("__getitem__",
           [](const TextColumn& column, Index row) {
             if (row < 0 || row >= column.rows()) throw nb::index_error("no such row");
             std::string room;
             return nb::str(column.text(row, room).data(), column.text(row, room).size());
           })
      .def_prop_ro("shape",
                   [](const TextColumn& column) { return nb::make_tuple(column.rows(), 0); })
      .def_prop_ro(
          "dtype",  // of what models make of it
          [](const TextColumn&) { return nb::module_::import_("numpy").attr("dtype")("float64"); })
      .def_prop_ro("name", &TextColumn::name);
}

}  // namespace craton
