#include "craton/base/hash.h"

#include <fmt/core.h>

#include <charconv>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace craton {
namespace {

std::string hex_of(XXH128_hash_t hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::string hash_hex(std::span<const std::byte> bytes) {
  return hex_of(XXH3_128bits(bytes.data(), bytes.size()));
}

struct HashOfParts::State {
  XXH3_state_t of_parts;
};

HashOfParts::HashOfParts() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->of_parts);
}
HashOfParts::~HashOfParts() = default;

void HashOfParts::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->of_parts, bytes.data(), bytes.size());
}

std::string HashOfParts::hex() const { return hex_of(XXH3_128bits_digest(&state_->of_parts)); }

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::uint64_t hash_number(std::string_view text) {
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  return hash;
}

}  // namespace craton
