#pragma once
#include <span>
#include <string>

#include "craton/core/comm.h"

// The one place that opens, writes and renames files.

namespace craton {

// The whole file. InputError says why it cannot be read: missing (with a near name, if there is
// one), a directory, no permission.
Bytes read_file(const std::string& path);

// The old file or the new one, never a part: temporary file in the same folder, fsync, rename.
void write_file(const std::string& path, std::span<const std::byte> bytes);
void write_file(const std::string& path, const std::string& text);

}  // namespace craton
