#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "craton/core/comm.h"
#include "craton/core/json.h"
#include "craton/core/registry.h"

// Model files: a versioned container of little-endian, 64-byte-aligned arrays and one JSON section,
// with a hash for each section and one for the whole (docs/model-file.md has every byte).
// Validation is the only way to load: sizes are checked against the file before memory is taken.

namespace craton {

inline constexpr std::uint32_t kArchiveVersion = 1;

struct Archive {
  Json metadata;
  std::vector<std::pair<std::string, Array>> arrays;
};

Bytes pack_archive(const Archive& archive);
Archive unpack_archive(std::span<const std::byte> bytes, const std::string& file);

// A fitted model as the bytes of a model file, and back.
Bytes pack_model(const Fitted& fitted);
Fitted unpack_model(std::span<const std::byte> bytes, const std::string& file);

// Saves to a temporary file beside `path`, syncs it, and renames: the old file or the new one.
void save_model(const Fitted& fitted, const std::string& path);
Fitted load_model(const std::string& path);

}  // namespace craton
