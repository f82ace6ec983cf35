#include "craton/io/idx.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "craton/base/error.h"
#include "craton/io/lines.h"

// Memory is taken as the values arrive, so that a header cannot ask for more than the file has.

namespace craton {
namespace {

template <class T>
void decode(std::span<const std::byte> from, std::vector<double>& to) {
  std::array<std::byte, sizeof(T)> raw;
  for (std::size_t at = 0; at < from.size(); at += sizeof(T)) {
    std::memcpy(raw.data(), from.data() + at, sizeof(T));
    if (std::endian::native == std::endian::little) std::reverse(raw.begin(), raw.end());
    to.push_back(static_cast<double>(std::bit_cast<T>(raw)));
  }
}

struct IdxElement {
  unsigned code;
  std::size_t size;
  void (*decode)(std::span<const std::byte> from, std::vector<double>& to);
};
constexpr std::array kIdxElements{
    IdxElement{0x08, 1, decode<std::uint8_t>}, IdxElement{0x09, 1, decode<std::int8_t>},
    IdxElement{0x0b, 2, decode<std::int16_t>}, IdxElement{0x0c, 4, decode<std::int32_t>},
    IdxElement{0x0d, 4, decode<float>},        IdxElement{0x0e, 8, decode<double>},
};

template <class T>
void append_big_endian(std::string& out, T value) {
  auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (std::endian::native == std::endian::little) std::reverse(raw.begin(), raw.end());
  out.append(raw.data(), raw.size());
}

[[noreturn]] void fail(const Input& input, Code code, const Message& what,
                       const Message& fix = "Copy or download the file again.") {
  throw InputError(code, {.file = input.name()}, what, fix);
}

struct IdxHeader {
  const IdxElement* type;
  std::vector<Index> dimensions;
};

IdxHeader read_header(Input& input) {
  std::array<std::byte, 4> front{};
  const std::size_t got = read_full(input, front);
  const unsigned code = std::to_integer<unsigned>(front[2]);
  const auto type = std::find_if(kIdxElements.begin(), kIdxElements.end(),
                                 [&](const IdxElement& t) { return t.code == code; });
  if (got < 4 || front[0] != std::byte{0} || front[1] != std::byte{0}) {
    fail(input, Code::kBadFile, "this is not an IDX file: it does not start with two zero bytes",
         {"Give the format: {}, say.", Ref::flag("from", "csv")});
  }
  if (type == kIdxElements.end()) {
    fail(input, Code::kBadFile, fmt::format("this IDX file has values of type 0x{:02x}", code),
         "The types are 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e.");
  }
  IdxHeader header{&*type, {}};
  for (unsigned i = 0; i < std::to_integer<unsigned>(front[3]); ++i) {
    std::array<std::byte, 4> size{};
    if (read_full(input, size) < 4) {
      fail(input, Code::kBadFile, "this IDX file is cut short: its dimensions are incomplete");
    }
    Index value = 0;
    for (const std::byte b : size) value = value << 8 | std::to_integer<Index>(b);
    header.dimensions.push_back(value);
  }
  return header;
}

Shape table_shape(const Input& input, std::span<const Index> dimensions) {
  Index cols = 1, values = 0, bytes = 0;
  bool overflow = dimensions.empty();
  for (std::size_t i = 1; i < dimensions.size() && !overflow; ++i) {
    overflow = __builtin_mul_overflow(cols, dimensions[i], &cols);
  }
  overflow = overflow || __builtin_mul_overflow(cols, dimensions[0], &values) ||
             __builtin_mul_overflow(values, Index{sizeof(double)}, &bytes);
  if (!overflow && cols > 0 && cols <= kMaxColumns) return {dimensions[0], cols};
  fail(input, Code::kBadShape,
       fmt::format("this IDX file has dimensions ({}), which are no table",
                   fmt::join(dimensions, ", ")),
       fmt::format("The first is rows, the others, multiplied, are 1 to {} columns.", kMaxColumns));
}

}  // namespace

Table parse_idx(Input& input) {
  const IdxHeader header = read_header(input);
  const Shape shape = table_shape(input, header.dimensions);
  const std::size_t count = usize(shape.rows * shape.cols);
  std::vector<double> values;
  Bytes piece(std::size_t{1} << 16);
  while (values.size() < count) {
    const std::size_t want = std::min(piece.size() / header.type->size, count - values.size());
    const std::size_t got = read_full(input, std::span(piece).first(want * header.type->size));
    if (got < want * header.type->size) {
      fail(input, Code::kBadFile,
           fmt::format(
               "this IDX file is cut short: its dimensions ({}) need {} values, and it has {}",
               fmt::join(header.dimensions, ", "), count, values.size() + got / header.type->size));
    }
    if (values.capacity() < values.size() + want) {
      values.reserve(std::min(count, 2 * values.size() + want));
    }
    header.type->decode(std::span(piece).first(got), values);
  }
  if (input.read(std::span(piece).first(1)) > 0) {
    fail(input, Code::kBadFile, fmt::format("this IDX file has bytes after its {} values", count));
  }
  return {.schema = numbered_schema(shape.cols),
          .x = {{shape.rows, shape.cols}, std::move(values)},
          .name = input.name()};
}

void write_idx(Source& source, Sink sink) {
  const Index rows = source.shape().rows, cols = ssize(written_columns(source));
  if (rows > Index{std::numeric_limits<std::uint32_t>::max()}) {
    throw InputError(Code::kBadShape, {.file = source.name()},
                     fmt::format("{} rows are more than an IDX file counts", rows),
                     "Write NPY instead.");
  }
  SinkBuffer out(sink);
  out.text = {'\0', '\0', '\x0e', '\x02'};
  append_big_endian(out.text, static_cast<std::uint32_t>(rows));
  append_big_endian(out.text, static_cast<std::uint32_t>(cols));
  read_dense_rows(source, [&](Index, std::span<const double> row) {
    for (const double value : row) append_big_endian(out.text, value);
    out.flush_if_long();
  });
  out.flush();
}

}  // namespace craton
