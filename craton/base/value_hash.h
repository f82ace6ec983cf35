#pragma once
#include <bit>
#include <cstdint>

namespace craton {

// One column's part of the hash of a row: (low(v) + low(key)) (high(v) + high(key)) + v over the
// two halves of 32 bits; -0 is 0. NH of Black et al., "UMAC: Fast and Secure Message
// Authentication" (1999); v is added so that no key hides a value. Columns do not wait for each
// other as they would in row_hash(), which takes twice as long. The key of column j is mix(0, j).
inline std::uint64_t hash_value(double value, std::uint64_t key) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  const std::uint64_t low = static_cast<std::uint32_t>(bits + key);
  const std::uint64_t high = static_cast<std::uint32_t>((bits >> 32) + (key >> 32));
  return low * high + bits;
}

// The same for an entry of a sparse row: of a zero 0, so that it may as well not be there. The
// columns of such rows are many, and each makes its own key.
inline constexpr std::uint64_t kColumnKey = 0x9e3779b97f4a7c15;
inline std::uint64_t hash_entry(double value, std::uint64_t column) {
  return value == 0 ? 0 : hash_value(value, (column + 1) * kColumnKey);
}

}  // namespace craton
