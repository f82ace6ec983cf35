#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// The header of an .npy file: a Python dictionary of just these three keys.
struct NpyHeader {
  std::string descr;  // e.g. "<f8"
  bool fortran_order = false;
  std::vector<Index> shape;
};

// Reads the dictionary by its grammar, as data. InputError (kBadFile) names what is wrong.
NpyHeader parse_npy_header(std::string_view text, const std::string& file);

}  // namespace craton
