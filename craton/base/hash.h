#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace craton {

// XXH3, 128 bits, as 32 hex digits.
std::string hash_hex(std::span<const std::byte> bytes);

// The same of bytes that come one after the other.
class HashOfParts {
 public:
  HashOfParts();
  ~HashOfParts();
  void add(std::span<const std::byte> bytes);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A hash of rows as reports have it, 16 hex digits, and back; 0 for a text that is none.
std::string hash_text(std::uint64_t hash);
std::uint64_t hash_number(std::string_view text);

}  // namespace craton
