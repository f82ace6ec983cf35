#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/json.h"

// The container of model files: little-endian, 64-byte-aligned arrays and one JSON section, with a
// hash for each section and one for the whole (docs/model-file.md has every byte). An archive has
// one form in bytes, and validation is the only way to load it: sizes are checked against the file
// before memory is taken. (What a model keeps in it: model_file.h.)

namespace craton {

inline constexpr std::uint32_t kArchiveVersion = 1;

struct Archive {
  Json metadata;
  std::vector<std::pair<std::string, Array>> arrays;
};

// requires names of arrays to be unique, not "metadata", of 1 to 63 printable ASCII characters
// without spaces; shapes of at most 8 dimensions that fit the values.
Bytes pack_archive(const Archive& archive);

// What the first bytes of a file tell: how long it is. requires the first kArchiveHead bytes, or
// all when there are fewer. InputError as below: what is no archive is refused without reading on.
inline constexpr std::size_t kArchiveHead = 32;
std::uint64_t archive_length(std::span<const std::byte> head, const std::string& file);
// Whether they are those of an archive, if perhaps of a damaged one: no text begins so.
bool begins_as_archive(std::span<const std::byte> head);

// InputError: kNotAModel, kNewerModel, or kDamagedModel with the reason. `file` is for messages.
Archive unpack_archive(std::span<const std::byte> bytes, const std::string& file);

// Throws InputError (kDamagedModel).
[[noreturn]] void fail_damaged(const std::string& file, const std::string& reason);

// Throws InputError (kNewerModel). `version` is the least that reads the file; "" when not known.
[[noreturn]] void fail_newer(const std::string& file, const std::string& reason,
                             const std::string& version);

}  // namespace craton
