#pragma once
#include <string>
#include <string_view>

#include "craton/base/matrix.h"

namespace craton {

// The whole text as a number, correctly rounded: 1.5, -2e10, inf, nan. False: it is something else.
bool parse_number(std::string_view text, double& number);

// The whole text as an integer: 12, +12, -3. Beyond 64 bits it becomes the nearest Index.
bool parse_whole(std::string_view text, Index& number);

// The shortest text that reads back to the same double; whole numbers without an exponent; NaN.
void append_number(std::string& out, double value);

}  // namespace craton
