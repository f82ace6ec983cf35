#pragma once
#include <span>
#include <string>

#include "craton/base/bytes.h"
#include "craton/base/source.h"
#include "craton/io/sink.h"

// NumPy's .npy files, versions 1.0 to 3.0
// (numpy.org/doc/stable/reference/generated/numpy.lib.format.html).

namespace craton {

// One or two dimensions of bool, integers of 1 to 8 bytes, float32 or float64, in either byte order
// and either layout; one dimension is one column. Values become double, so that integers beyond
// 2^53 are rounded. InputError (kBadFile, kBadShape) says what does not fit; no code is ever run.
Table parse_npy(std::span<const std::byte> bytes, const std::string& name);

// What the front of an .npy file says of its array: `front` holds at least the header.
struct NpyLayout {
  Shape shape;
  Index offset = 0;   // of the values, in the file
  Index element = 0;  // bytes
  bool fortran_order = false, swap = false;
  bool is_double = false, is_float = false;  // as this machine has them
  void (*decode)(const std::byte* from, bool swap, std::span<double> out) = nullptr;
};
NpyLayout parse_npy_layout(std::span<const std::byte> front, const std::string& name);

// InputError unless just as many bytes as the shape needs follow the header.
void check_npy_size(const NpyLayout& layout, Index file_size, const std::string& name);

// Version 1.0, little-endian float64, rows first.
Bytes write_npy(const Array& array);

// The same, row by row; categories as codes.
void write_npy(Source& source, Sink sink);

}  // namespace craton
