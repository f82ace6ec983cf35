#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/matrix.h"

// Zip archives (PKWARE's APPNOTE 6.3), as far as .npz files use them: members stored or deflated,
// also with the 64-bit sizes that NumPy writes. Nothing is ever written to disk.

namespace craton {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
  Index unpacked_size = 0;
  std::span<const std::byte> packed;  // borrowed from the archive
};

// The members, in the order of the directory. InputError (kBadFile) for what an honest archive does
// not have: a directory, headers or data outside the file or overlapping each other, headers that
// contradict the directory, names that lead out of a folder or come twice, more than one disk. Also
// refused: encryption, other methods, and unpacked sizes beyond kMaxRatio (see input.h).
std::vector<ZipMember> read_zip(std::span<const std::byte> archive, const std::string& file);

// The bytes of a member; size and checksum are checked.
Bytes unpack(const ZipMember& member, const std::string& file);

}  // namespace craton
