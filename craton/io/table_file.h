#pragma once
#include <span>
#include <string>

#include "craton/core/source.h"

namespace craton {

// A table from a file, or from the standard input when the path is "-". Its first bytes tell .npy
// (npy.h) from separated text (csv.h); a file called .npy is never taken for text. Columns of
// numbers only; the notes say which were left out. (Categories and large files: open.h.)
Table read_table(const std::string& path);

// The same of bytes at hand; `name` is for messages.
Table parse_table(std::span<const std::byte> bytes, const std::string& name);

}  // namespace craton
