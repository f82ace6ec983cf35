#pragma once
#include <span>
#include <string>

#include "craton/core/comm.h"

// The one place that opens, writes and renames files.

namespace craton {

// The whole file. InputError says why it cannot be read: missing (with a near name, if there is
// one), a directory, no permission.
Bytes read_file(const std::string& path);

// The old file or the new one, never a part: temporary file in the same folder, fsync, rename. The
// temporary file is gone whatever happens, short of a crash. A symbolic link stays one: the file it
// points at is replaced. Permissions of a file that exists are kept, and one that may not be
// written is not replaced. What is no regular file, or is open already (a pipe, /dev/stdout), is
// written to directly.
void write_file(const std::string& path, std::span<const std::byte> bytes);
void write_file(const std::string& path, const std::string& text);

}  // namespace craton
