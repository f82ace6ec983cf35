#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/base/matrix.h"

// Text for pictures. Labels come from the users' files, so that they may hold anything.

namespace craton {

// Valid UTF-8 without control characters: each of them, and each other byte, becomes U+FFFD.
std::string clean_text(std::string_view text);

Index count_characters(std::string_view utf8);

// About how wide a line is in pixels. Text cannot be measured without a font, so that room for it
// is counted in characters of a generous width.
double text_width(std::string_view utf8, double font_size);

// At most so many characters; a longer text ends in an ellipsis. requires at_most > 0
std::string shorten(std::string_view utf8, Index at_most);

// Lines of at most so many characters, broken at blanks. requires at_most > 0
std::vector<std::string> wrap(std::string_view utf8, Index at_most);

// A number as people read it: four digits, and no zeros behind them.
std::string rounded(double value);

std::string grouped_digits(Index count);  // 20000 as "20,000"

}  // namespace craton
