#include "craton/io/number.h"

#include <fast_float/fast_float.h>

#include <charconv>
#include <limits>

namespace craton {

bool parse_number(std::string_view text, double& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = fast_float::from_chars(text.data(), end, number);
  return stop == end && error != std::errc::invalid_argument;
}

bool parse_whole(std::string_view text, Index& number) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    using Limits = std::numeric_limits<Index>;
    number = text[0] == '-' ? Limits::min() : Limits::max();
  }
  return true;
}

}  // namespace craton
