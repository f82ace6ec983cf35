#include "craton/draw/text.h"

#include <fmt/core.h>

#include <algorithm>

#include "craton/base/error.h"
#include "craton/base/utf8.h"

namespace craton {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool continues(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_at(text, i) & 0xc0u) == 0x80u;
}

// U+FFFE and U+FFFF may not appear in XML.
bool is_noncharacter(std::string_view character) {
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = utf8_length(text.substr(i));
    const std::string_view character = text.substr(i, size);
    const bool good = size > 0 && !is_control(character) && !is_noncharacter(character);
    clean += good ? character : "\uFFFD";
    i += size > 0 ? size : 1;
  }
  return clean;
}

Index count_characters(std::string_view utf8) {
  Index count = 0;
  for (std::size_t i = 0; i < utf8.size(); ++i) count += continues(utf8, i) ? 0 : 1;
  return count;
}

double text_width(std::string_view utf8, double font_size) {
  constexpr double kCharacter = 0.56;  // the mean width of a character, in font sizes
  return static_cast<double>(count_characters(utf8)) * font_size * kCharacter;
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

std::string rounded(double value) { return fmt::format("{:.4g}", value + 0.0); }  // no -0

std::string grouped_digits(Index count) {
  std::string text = std::to_string(count);
  for (Index at = ssize(text) - 3; at > (count < 0 ? 1 : 0); at -= 3)
    text.insert(usize(at), 1, ',');
  return text;
}

}  // namespace craton
