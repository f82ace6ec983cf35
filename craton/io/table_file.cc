#include "craton/io/table_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "craton/core/error.h"
#include "craton/core/files.h"
#include "craton/io/csv.h"
#include "craton/io/npy.h"

namespace craton {
namespace {

// Files that people do hand to us, and what to do with them.
struct OtherFormat {
  std::string_view start, what, fix;
};
constexpr std::array kOtherFormats{
    OtherFormat{"\x1f\x8b", "gzip-compressed", "Unpack it: gunzip, or zcat FILE | craton ... -"},
    OtherFormat{"\x28\xb5\x2f\xfd", "zstd-compressed", "Unpack it: unzstd, or zstdcat."},
    OtherFormat{"BZh", "bzip2-compressed", "Unpack it: bunzip2."},
    OtherFormat{"\xfd"
                "7zXZ",
                "xz-compressed", "Unpack it: unxz."},
    OtherFormat{"PK\x03\x04", "a zip archive (.xlsx and .npz are such)",
                "Save a spreadsheet as CSV, or an array with numpy.save as .npy."},
    OtherFormat{"PAR1", "a Parquet file", "Save it as CSV, or as .npy."},
    OtherFormat{"\x89HDF", "an HDF5 file", "Save the table as CSV, or as .npy."},
};

bool is_binary(std::string_view start) {
  return std::any_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t';
  });
}

Table numbers_of(Table table) {
  std::vector<Index> numbers;
  for (Index j = 0; j < table.schema.size(); ++j) {
    const Column& column = table.schema.columns[usize(j)];
    if (column.kind == ColumnKind::kNumber) {
      numbers.push_back(j);
      continue;
    }
    const Index levels = ssize(column.levels);
    table.notes.push_back(
        {"ignored-column", fmt::format("ignored the category column '{}' ({} level{})", column.name,
                                       levels, levels == 1 ? "" : "s")});
  }
  if (ssize(numbers) == table.schema.size()) return table;
  Table kept;
  kept.name = std::move(table.name);
  kept.notes = std::move(table.notes);
  for (const Index j : numbers) kept.schema.columns.push_back(table.schema.columns[usize(j)]);
  kept.x.shape = {table.x.rows(), ssize(numbers)};
  for (Index i = 0; i < table.x.rows(); ++i) {
    const double* const row = table.x.view().row(i);
    for (const Index j : numbers) kept.x.values.push_back(row[j]);
  }
  return kept;
}

Bytes read_standard_input() {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  Bytes bytes;
  std::size_t size = 0;
  for (;;) {
    if (bytes.size() - size < kStep) bytes.resize(2 * bytes.size() + kStep);
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw InputError(Code::kCannotRead, {.file = "stdin"}, std::strerror(errno),
                       "Give a file, or pipe one in.");
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

Table parse_table(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const OtherFormat& format : kOtherFormats) {
    if (!text.starts_with(format.start) || !is_binary(text.substr(0, 64))) continue;
    throw InputError(Code::kBadFile, {.file = name}, fmt::format("this is {}", format.what),
                     std::string(format.fix));
  }
  const bool npy = text.starts_with("\x93NUMPY") || name.ends_with(".npy");
  return npy ? parse_npy(bytes, name) : numbers_of(parse_csv(text, name));
}

Table read_table(const std::string& path) {
  return path == "-" ? parse_table(read_standard_input(), "stdin")
                     : parse_table(read_file(path), path);
}

}  // namespace craton
