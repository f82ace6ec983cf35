#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace craton {

// XXH3, 128 bits, as 32 hex digits.
std::string hash_hex(std::span<const std::byte> bytes);

}  // namespace craton
