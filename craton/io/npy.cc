#include "craton/io/npy.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "craton/base/error.h"
#include "craton/io/npy_header.h"

namespace craton {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the data, as NumPy writes it

// A table of no rows still has columns; more than this is a damaged header.
constexpr Index kMostColumnsWithoutRows = Index{1} << 20;

[[noreturn]] void fail(const std::string& file, const std::string& what,
                       const std::string& fix = "Write the array again with numpy.save.") {
  throw InputError(Code::kBadFile, {.file = file}, what, fix);
}

template <class T>
void decode(const std::byte* from, bool swap, std::span<double> out) {
  std::array<std::byte, sizeof(T)> raw;
  for (double& value : out) {
    std::memcpy(raw.data(), from, sizeof(T));
    if (swap) std::reverse(raw.begin(), raw.end());
    value = static_cast<double>(std::bit_cast<T>(raw));
    from += sizeof(T);
  }
}

void decode_bool(const std::byte* from, bool, std::span<double> out) {
  for (double& value : out) value = *from++ == std::byte{0} ? 0 : 1;
}

struct ElementType {
  std::string_view code;  // kind and bytes
  Index size;
  void (*decode)(const std::byte* from, bool swap, std::span<double> out);
};

constexpr std::array kElementTypes{
    ElementType{"f8", 8, decode<double>},        ElementType{"f4", 4, decode<float>},
    ElementType{"i8", 8, decode<std::int64_t>},  ElementType{"i4", 4, decode<std::int32_t>},
    ElementType{"i2", 2, decode<std::int16_t>},  ElementType{"i1", 1, decode<std::int8_t>},
    ElementType{"u8", 8, decode<std::uint64_t>}, ElementType{"u4", 4, decode<std::uint32_t>},
    ElementType{"u2", 2, decode<std::uint16_t>}, ElementType{"u1", 1, decode<std::uint8_t>},
    ElementType{"b1", 1, decode_bool},
};

const ElementType& element_type(const std::string& descr, const std::string& file) {
  const bool ordered = !descr.empty() && std::string_view("<>=|").find(descr[0]) < 4;
  const std::string_view code = std::string_view(descr).substr(ordered ? 1 : 0);
  for (const ElementType& type : kElementTypes) {
    if (code == type.code) return type;
  }
  if (code.starts_with('O')) {
    fail(file, "this .npy file holds pickled Python objects, which are never loaded",
         "Save numbers: numpy.save(path, array.astype(float)).");
  }
  fail(file, fmt::format("this .npy file holds values of type '{}', which are not taken", descr),
       "Save numbers: numpy.save(path, array.astype(float)).");
}

bool needs_swap(const std::string& descr) {
  const bool big = descr.starts_with('>'), little = descr.starts_with('<');
  return std::endian::native == std::endian::little ? big : little;
}

// Cuts the header off the front of `bytes`.
NpyHeader take_header(std::span<const std::byte>& bytes, const std::string& file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    fail(file, "this is not an .npy file: it does not start with \\x93NUMPY");
  }
  const std::size_t version_at = kMagic.size(), size_at = version_at + 2;
  const std::string cut = "this .npy file is cut short: its header is incomplete";
  if (bytes.size() < size_at) fail(file, cut);
  const int major = std::to_integer<int>(bytes[version_at]);
  const int minor = std::to_integer<int>(bytes[version_at + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(file, fmt::format("this .npy file has version {}.{}; 1.0 to 3.0 are known", major, minor));
  }
  const std::size_t size_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < size_at + size_bytes) fail(file, cut);
  std::size_t size = 0;
  for (std::size_t i = 0; i < size_bytes; ++i) {
    size |= std::to_integer<std::size_t>(bytes[size_at + i]) << (8 * i);
  }
  const std::size_t start = size_at + size_bytes;
  if (size > bytes.size() - start) fail(file, cut);
  bytes = bytes.subspan(start + size);
  return parse_npy_header(text.substr(start, size), file);
}

Shape table_shape(const std::vector<Index>& shape, const std::string& file) {
  if (shape.size() == 1) return {shape[0], 1};
  const bool table = shape.size() == 2 && shape[1] > 0;
  if (table && (shape[0] > 0 || shape[1] <= kMostColumnsWithoutRows)) return {shape[0], shape[1]};
  throw InputError(
      Code::kBadShape, {.file = file},
      fmt::format("this .npy file has shape ({}), not (rows, columns)", fmt::join(shape, ", ")),
      "Reshape the array to two dimensions before numpy.save.");
}

void check_size(Shape shape, Index element, std::size_t found, const std::string& file) {
  Index count = 0, size = 0;
  const bool overflow = __builtin_mul_overflow(shape.rows, shape.cols, &count) ||
                        __builtin_mul_overflow(count, element, &size);
  if (!overflow && usize(size) == found) return;
  const std::string needed = overflow ? "more than 2^63" : std::to_string(size);
  const bool cut = overflow || usize(size) > found;
  fail(file, fmt::format("this .npy file {}: shape ({}, {}) needs {} bytes, and {} follow",
                         cut ? "is cut short" : "has bytes after its array", shape.rows, shape.cols,
                         needed, found));
}

std::vector<double> transposed(const std::vector<double>& from, Shape shape) {
  std::vector<double> to(from.size());
  for (Index i = 0; i < shape.rows; ++i) {
    for (Index j = 0; j < shape.cols; ++j) {
      to[usize(i * shape.cols + j)] = from[usize(j * shape.rows + i)];
    }
  }
  return to;
}

std::string front_of(std::span<const Index> shape) {
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}{}), }}",
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t start = kMagic.size() + 4;  // version and size: two bytes each
  header.append(kAlignment - 1 - (start + header.size()) % kAlignment, ' ');
  header += '\n';
  CRATON_ASSERT(header.size() < 65536);

  std::string front(kMagic);
  front += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  return front + header;
}

std::array<std::byte, sizeof(double)> little_endian(double value) {
  auto raw = std::bit_cast<std::array<std::byte, sizeof(double)>>(value);
  if (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  return raw;
}

}  // namespace

NpyLayout parse_npy_layout(std::span<const std::byte> front, const std::string& name) {
  std::span<const std::byte> values = front;
  const NpyHeader header = take_header(values, name);
  const ElementType& type = element_type(header.descr, name);
  const bool swap = needs_swap(header.descr);
  return {.shape = table_shape(header.shape, name),
          .offset = ssize(front) - ssize(values),
          .element = type.size,
          .fortran_order = header.fortran_order,
          .swap = swap,
          .is_double = type.code == "f8" && !swap,
          .is_float = type.code == "f4" && !swap,
          .decode = type.decode};
}

void check_npy_size(const NpyLayout& layout, Index file_size, const std::string& name) {
  check_size(layout.shape, layout.element, usize(file_size - layout.offset), name);
}

Table parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const NpyLayout layout = parse_npy_layout(bytes, name);
  check_npy_size(layout, ssize(bytes), name);
  const Shape shape = layout.shape;
  std::vector<double> values(usize(shape.rows * shape.cols));
  layout.decode(bytes.data() + layout.offset, layout.swap, values);
  if (layout.fortran_order && shape.cols > 1) values = transposed(values, shape);
  return {.schema = numbered_schema(shape.cols),
          .x = {{shape.rows, shape.cols}, std::move(values)},
          .name = name};
}

Bytes write_npy(const Array& array) {
  const std::string front = front_of(array.shape);
  Bytes bytes(front.size() + array.values.size() * sizeof(double));
  std::memcpy(bytes.data(), front.data(), front.size());
  std::byte* to = bytes.data() + front.size();
  for (const double value : array.values) {
    const auto raw = little_endian(value);
    to = std::copy(raw.begin(), raw.end(), to);
  }
  return bytes;
}

void write_npy(Source& source, Sink sink) {
  SinkBuffer out(sink);
  out.text = front_of(std::array{source.shape().rows, ssize(written_columns(source))});
  read_dense_rows(source, [&](Index, std::span<const double> row) {
    for (const double value : row) {
      const auto raw = little_endian(value);
      out.text.append(reinterpret_cast<const char*>(raw.data()), raw.size());
    }
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
