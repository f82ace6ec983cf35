#include "craton/io/number.h"

#include <fast_float/fast_float.h>

#include <array>
#include <charconv>
#include <cmath>
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

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";  // not an empty field: a line of one would be blank
    return;
  }
  constexpr double kWhole = 1e15;  // below it every whole number is exact, and at most 15 digits
  const bool whole = std::abs(value) < kWhole && value == std::trunc(value) &&
                     !(value == 0 && std::signbit(value));
  std::array<char, 32> text;
  char* const end = text.data() + text.size();
  const auto result = whole ? std::to_chars(text.data(), end, static_cast<std::int64_t>(value))
                            : std::to_chars(text.data(), end, value);
  out.append(text.data(), result.ptr);
}

}  // namespace craton
