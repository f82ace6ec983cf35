#pragma once
#include <cstddef>
#include <cstdint>

namespace craton {

inline constexpr std::size_t kAsciiBlock = 64;  // bytes

// The room that scan_ascii needs for a text of so many bytes.
constexpr std::size_t ascii_blocks(std::size_t size) {
  return (size + kAsciiBlock - 1) / kAsciiBlock;
}

enum class Letters { kKeep, kLower };

// One pass over a text, whatever its bytes are:
//
//   out[i] = text[i]; with kLower, 'a' for 'A' and so on
//   bit i % 64 of words[i / 64] = 1 if text[i] is an ASCII letter, a digit or '_'
//
// True: all bytes are ASCII. The rest of the last block is zeros, in both. `out` has room for
// ascii_blocks(size) * 64 bytes, `words` for ascii_blocks(size); out may be text, if that has.
bool scan_ascii(const char* text, std::size_t size, Letters letters, char* out,
                std::uint64_t* words);

}  // namespace craton
