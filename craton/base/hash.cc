#include "craton/base/hash.h"

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace craton {

std::string hash_hex(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace craton
