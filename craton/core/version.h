#pragma once
#include <string_view>

namespace craton {

std::string_view version();  // "1.2.3"

}  // namespace craton
