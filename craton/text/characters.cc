#include "craton/text/characters.h"

#include <cstring>

namespace craton {
namespace {

constexpr std::uint32_t kCapitalSigma = 0x3A3, kFinalSigma = 0x3C2, kSmallSigma = 0x3C3;
constexpr std::uint32_t kCapitalIWithDot = 0x130, kDotAbove = 0x307;

// The first character before (or after) `at` that is not ignored where cases are compared is a
// cased letter. Each stops at the next sigma, so all of a text together look at each character
// twice.
bool cased_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const Character c = last_character(text.substr(0, at));
    if (!has_property(c.code, unicode::kCaseIgnorable)) {
      return has_property(c.code, unicode::kCased);
    }
    at -= c.bytes;
  }
  return false;
}
bool cased_after(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Character c = character_at(text.data() + at, text.data() + text.size());
    if (!has_property(c.code, unicode::kCaseIgnorable)) {
      return has_property(c.code, unicode::kCased);
    }
    at += c.bytes;
  }
  return false;
}

}  // namespace

Character last_character(std::string_view text) {
  const char* end = text.data() + text.size();
  for (std::size_t bytes = 2; bytes <= 4 && bytes <= text.size(); ++bytes) {
    if ((static_cast<unsigned char>(*(end - 1)) & 0xC0) != 0x80) break;
    const Character c = character_at(end - bytes, end);
    if (c.bytes == bytes) return c;
  }
  return character_at(end - 1, end);
}

void append_character(std::uint32_t code, std::string& text) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += {static_cast<char>(0xC0 | code >> 6), tail(0)};
  } else if (code < 0x10000) {
    text += {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
  }
}

std::size_t next_not_ascii(std::string_view text, std::size_t from) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  for (; from + 8 <= text.size(); from += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + from, 8);
    if ((eight & kHighBits) != 0) break;
  }
  while (from < text.size() && static_cast<unsigned char>(text[from]) < 0x80) ++from;
  return from;
}

void append_lower(std::string_view text, std::string& out) {
  const char* end = text.data() + text.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t other = next_not_ascii(text, at);
    for (; at < other; ++at) {
      const char c = text[at];
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    }
    if (at == text.size()) return;
    const Character c = character_at(text.data() + at, end);
    if (c.code == kCapitalIWithDot) {
      out += 'i';
      append_character(kDotAbove, out);
    } else if (c.code == kCapitalSigma) {
      const bool final = cased_before(text, at) && !cased_after(text, at + c.bytes);
      append_character(final ? kFinalSigma : kSmallSigma, out);
    } else {
      const std::int32_t code = static_cast<std::int32_t>(c.code) + unicode::record(c.code).lower;
      append_character(static_cast<std::uint32_t>(code), out);
    }
    at += c.bytes;
  }
}

}  // namespace craton
