#pragma once
#include <string_view>

namespace craton {

// The whole text as a number, correctly rounded: 1.5, -2e10, inf, nan. False: it is something else.
bool parse_number(std::string_view text, double& number);

}  // namespace craton
