#include "craton/base/digits.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace craton {

std::string shown_beside(double value, double spread, int digits) {
  constexpr double kNoise = 1e-12;  // of the spread: what rounding leaves of an exact 0
  constexpr int kMostDigits = 17, kMostPlaces = 15;
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const bool known = std::isfinite(spread) && spread > 0;
  if (value == 0 || (known && std::abs(value) <= kNoise * spread)) return "0";

  const int first = static_cast<int>(std::floor(std::log10(std::abs(value))));  // its power of ten
  int last = first + 1 - digits;
  if (known) last = std::min(last, static_cast<int>(std::floor(std::log10(spread))) - 1);
  last = std::max(last, first + 1 - kMostDigits);
  const int significant = first + 1 - last;
  if (first >= kMostPlaces || first < -5) return fmt::format("{:.{}g}", value, significant);
  const double unit = std::pow(10.0, std::max(last, 0));
  const double rounded = last > 0 ? std::round(value / unit) * unit : value;
  std::string text = fmt::format("{:.{}f}", rounded, std::max(-last, 0));
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace craton
