#include "craton/base/utf8.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace craton {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// requires a character of `length` bytes
std::uint32_t code_point(std::string_view text, std::size_t length) {
  if (length == 1) return byte_at(text, 0);
  std::uint32_t code = byte_at(text, 0) & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_at(text, i) & 0x3Fu);
  return code;
}

bool is_control_code(std::uint32_t code) {
  const auto in = [&](std::uint32_t low, std::uint32_t high) {
    return code >= low && code <= high;
  };
  return code < 0x20 || in(0x7F, 0x9F)                // C0, DEL, C1
         || in(0x200E, 0x200F) || in(0x2028, 0x202E)  // marks of direction, ends of lines
         || in(0x2066, 0x2069);                       // isolates
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xC0   ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF8 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t code = code_point(text, length);
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

std::size_t first_not_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = kHighBits;
    if (at + 8 <= text.size()) std::memcpy(&eight, text.data() + at, 8);
    const std::size_t length = (eight & kHighBits) == 0 ? 8 : utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return at;
}

bool is_control(std::string_view character) {
  return is_control_code(code_point(character, character.size()));
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text), taken = std::max<std::size_t>(length, 1);
    const std::uint32_t code = code_point(text, taken);
    const std::size_t letter = std::string_view("\n\r\t").find(text[0]);
    if (length > 0 && !is_control_code(code)) {
      result += text.substr(0, length);
    } else if (letter != std::string_view::npos) {
      result += {'\\', "nrt"[letter]};
    } else {
      result += length > 1 ? fmt::format("\\u{:04x}", code) : fmt::format("\\x{:02x}", code);
    }
    text.remove_prefix(taken);
  }
  return result;
}

std::string printable(std::string_view text, std::size_t at_most) {
  if (text.size() <= at_most) return printable(text);
  const auto inside = [&](std::size_t i) { return (byte_at(text, i) & 0xC0) == 0x80; };
  std::size_t front = at_most / 2, back = text.size() - at_most / 2;
  while (front > 0 && inside(front)) --front;
  while (back < text.size() && inside(back)) ++back;
  return printable(text.substr(0, front)) + "..." + printable(text.substr(back));
}

}  // namespace craton
