#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "craton/core/comm.h"
#include "craton/core/function_ref.h"

// The one place that opens, writes and renames files.

namespace craton {

// The whole file. InputError says why it cannot be read: missing (with a near name, if there is
// one), a directory, no permission.
Bytes read_file(const std::string& path);

// Shows the first `head` bytes (all, when there are fewer) to `length_of` before it reads on; that
// throws, or says how long the file should be. No more than one byte beyond is read, so that a
// caller sees a file that is too long, and one without end is no trouble.
Bytes read_file(const std::string& path, std::size_t head,
                FunctionRef<std::uint64_t(std::span<const std::byte>)> length_of);

// The old file or the new one, never a part: temporary file in the same folder, fsync, rename. The
// temporary file is gone whatever happens, short of a crash. A symbolic link stays one: the file it
// points at is replaced. Permissions of a file that exists are kept, and one that may not be
// written is not replaced. What is no regular file, or is open already (a pipe, /dev/stdout), is
// written to directly.
void write_file(const std::string& path, std::span<const std::byte> bytes);
void write_file(const std::string& path, const std::string& text);

}  // namespace craton
