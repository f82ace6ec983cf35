#include "craton/io/cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "craton/io/number.h"

namespace craton {
namespace {

constexpr std::array<std::string_view, 19> kMissing{
    "?",    "#N/A", "#N/A N/A", "#NA",  "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A",  "NA",       "NULL", "NaN",     "None",     "n/a",  "nan",  "null"};

constexpr std::size_t kExactDigits = 15;  // fewer than 2^53, whatever they are

bool is_exact(std::string_view digits) {
  std::uint64_t whole = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, whole);
  if (error != std::errc() || stop != end) return false;  // beyond 2^64
  const auto rounded = static_cast<double>(whole);
  return rounded < 0x1p64 && static_cast<std::uint64_t>(rounded) == whole;
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

}  // namespace

bool is_missing(std::string_view text) {
  if (text.empty()) return true;
  const bool digit_last = text.back() >= '0' && text.back() <= '9';  // as of most cells
  if (digit_last || text.size() > 8) return false;
  return std::find(kMissing.begin(), kMissing.end(), text) != kMissing.end();
}

bool is_integer(std::string_view text) {
  text = without_sign(text);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Cell parse_cell(std::string_view text, double& value) {
  value = std::numeric_limits<double>::quiet_NaN();
  if (is_missing(text)) return Cell::kMissing;
  std::string_view unsigned_text = text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') unsigned_text.remove_prefix(1);
  double number = 0;
  if (!parse_number(unsigned_text, number)) return Cell::kText;
  if (std::isnan(number)) return Cell::kMissing;
  value = number;
  const bool big = text.size() > kExactDigits && is_integer(text) && !is_exact(without_sign(text));
  return big ? Cell::kBigInteger : Cell::kNumber;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
    };
    const unsigned first = byte(i);
    const std::size_t more = first < 0x80   ? 0
                             : first < 0xc2 ? 4
                             : first < 0xe0 ? 1
                             : first < 0xf0 ? 2
                             : first < 0xf5 ? 3
                                            : 4;
    if (more == 4) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    const unsigned second = byte(i + 1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool beyond = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    if (overlong || beyond) return false;
    i += more + 1;
  }
  return true;
}

}  // namespace craton
