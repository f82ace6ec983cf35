#include "craton/io/number.h"

#include <fast_float/fast_float.h>

namespace craton {

bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = fast_float::from_chars(text.data(), end, number);
  return stop == end && error != std::errc::invalid_argument;
}

}  // namespace craton
