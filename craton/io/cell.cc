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

}  // namespace craton
