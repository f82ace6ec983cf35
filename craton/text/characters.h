#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "craton/text/unicode_tables.h"

// Characters of texts in UTF-8, and what they are. Bytes that are not UTF-8 are read as U+FFFD, one
// by one, which is no part of any word.

namespace craton {

struct Character {
  std::uint32_t code = 0, bytes = 0;
};

inline constexpr std::uint32_t kNotUtf8 = 0xFFFD;

// The character that begins at `at`. requires at < end
inline Character character_at(const char* at, const char* end) {
  const auto byte = [&](int i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i]));
  };
  const auto follows = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead < 0xE0 && end - at >= 2 && follows(1)) {
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  }
  if (lead >= 0xE0 && lead < 0xF0 && end - at >= 3 && follows(1) && follows(2)) {
    const std::uint32_t code = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, 3};
  }
  if (lead >= 0xF0 && lead < 0xF5 && end - at >= 4 && follows(1) && follows(2) && follows(3)) {
    const std::uint32_t code =
        (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    if (code >= 0x10000 && code <= 0x10FFFF) return {code, 4};
  }
  return {kNotUtf8, 1};
}

// The last character of a text. requires !text.empty()
Character last_character(std::string_view text);

// requires code <= 0x10FFFF, and no surrogate
void append_character(std::uint32_t code, std::string& text);

inline bool has_property(std::uint32_t code, unsigned flags) {
  return (unicode::record(code).flags & flags) != 0;
}
inline bool is_alnum(std::uint32_t code) { return has_property(code, unicode::kAlnum); }
inline bool is_space(std::uint32_t code) { return has_property(code, unicode::kSpace); }

// Where text has the next byte that is not ASCII, from `from` on; its size if there is none.
std::size_t next_not_ascii(std::string_view text, std::size_t from);

// Appends the text in small letters, as Python's str.lower() has them: one letter may become two
// (U+0130), and a capital sigma at the end of a word becomes U+03C2.
void append_lower(std::string_view text, std::string& out);

}  // namespace craton
