#pragma once
#include <string>
#include <utility>

#include "craton/base/source.h"
#include "craton/io/input.h"

// NumPy's .npz files: zip archives (zip.h) of .npy arrays (npy.h), as numpy.savez and
// numpy.savez_compressed write them.

namespace craton {

// The array of this name, or, for "", the only one. InputError (kBadFile) as zip.h and npy.h say;
// kUnknownName, with the names there are, when the name is wrong or one is needed.
Table parse_npz(Input& input, const std::string& array = {});

// "data.npz:x" is the file data.npz and the array x; any other path is a file and "".
std::pair<std::string, std::string> split_npz_path(const std::string& path);

}  // namespace craton
