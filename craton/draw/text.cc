#include "craton/draw/text.h"

#include <algorithm>

#include "craton/core/error.h"

namespace craton {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool continues(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xc0u) == 0x80u;
}

// The bytes of the character that starts at i, or 0 where none does (Unicode 15, table 3-7).
std::size_t character_size(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continues(text, i + 1) ? 2 : 0;
  if (lead < 0xe0 || lead > 0xf4 || !continues(text, i + 1) || !continues(text, i + 2)) return 0;
  const unsigned second = byte_at(text, i + 1);
  if (lead == 0xe0 && second < 0xa0) return 0;  // overlong
  if (lead == 0xed && second > 0x9f) return 0;  // a surrogate
  if (lead < 0xf0) {
    // U+FFFE and U+FFFF may not appear in XML.
    const bool noncharacter = lead == 0xef && second == 0xbf && byte_at(text, i + 2) >= 0xbe;
    return noncharacter ? 0 : 3;
  }
  if (lead == 0xf0 && second < 0x90) return 0;  // overlong
  if (lead == 0xf4 && second > 0x8f) return 0;  // beyond U+10FFFF
  return continues(text, i + 3) ? 4 : 0;
}

bool is_control(std::string_view character) {
  const unsigned lead = byte_at(character, 0);
  return lead < ' ' || lead == 0x7f || (lead == 0xc2 && byte_at(character, 1) < 0xa0);
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = character_size(text, i);
    const bool good = size > 0 && !is_control(text.substr(i, size));
    clean += good ? text.substr(i, size) : "\uFFFD";
    i += size > 0 ? size : 1;
  }
  return clean;
}

Index count_characters(std::string_view utf8) {
  Index count = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) count += continues(utf8, i) ? 0 : 1;
  return count;
}

std::string shorten(std::string_view utf8, Index at_most) {
  CRATON_ASSERT(at_most > 0);
  if (count_characters(utf8) <= at_most) return std::string(utf8);
  std::size_t end = 0;
  for (Index kept = 0; end < utf8.size(); ++end) {
    if (!continues(utf8, end) && ++kept == at_most) break;
  }
  return std::string(utf8.substr(0, end)) + "\u2026";
}

std::vector<std::string> wrap(std::string_view utf8, Index at_most) {
  std::vector<std::string> lines;
  while (!utf8.empty()) {
    const std::size_t end = std::min(utf8.find(' '), utf8.size());
    const std::string word = shorten(utf8.substr(0, end), at_most);
    utf8.remove_prefix(std::min(end + 1, utf8.size()));
    const bool fits =
        !lines.empty() && count_characters(lines.back()) + 1 + count_characters(word) <= at_most;
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string grouped_digits(Index count) {
  std::string text = std::to_string(count);
  for (Index at = ssize(text) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    text.insert(usize(at), 1, ',');
  return text;
}

}  // namespace craton
