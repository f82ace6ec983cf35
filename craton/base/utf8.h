#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace craton {

// The bytes of the character that a text begins with; 0 where they are not UTF-8 (Unicode 15,
// table 3-7). requires !text.empty()
std::size_t utf8_length(std::string_view text);

// Where the first byte lies that no UTF-8 has in this place; its size if the text is UTF-8.
std::size_t first_not_utf8(std::string_view text);

// Of one character: it moves the cursor, changes colours, turns the direction of what follows, or
// does something else that a terminal should not do because a file says so.
bool is_control(std::string_view character);

// One line that a terminal shows and does not obey: "\n", "\x1b", "\u202e" stand for control
// characters, "\xff" for a byte that is not UTF-8. What is printable already stays the same.
std::string printable(std::string_view text);

// The same of a text of any length: beyond about `at_most` bytes there is "..." in the middle.
std::string printable(std::string_view text, std::size_t at_most);

}  // namespace craton
