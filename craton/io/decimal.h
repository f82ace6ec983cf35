#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

// Plain decimals, correctly rounded: -12.5, 0.1, 1.5e-05. The way of most numbers of most files;
// whatever it does not take, parse_number may.
//
// W. D. Clinger, "How to read floating point numbers accurately" (1990): with at most 2^53 in the
// digits and at most 10^22 in the scale both are exact, so one division or product rounds once.
// D. Lemire, "Number parsing at a gigabyte per second" (2021): up to 19 digits otherwise.

namespace craton {

// Correctly rounded digits * 10^exponent; false where 64-bit digits do not decide it.
bool round_decimal(std::uint64_t digits, int exponent, double& value);

// Bytes that must be readable behind the text, as eight digits are taken at once.
inline constexpr int kDecimalPadding = 16;

namespace decimal_detail {

inline constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr int kMostPower = 22, kMostDigits = 19;
inline constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;

inline constexpr std::uint64_t kWholePowers[] = {1,      10,      100,      1000,     10000,
                                                 100000, 1000000, 10000000, 100000000};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// The value of eight bytes 0..9, the first in the lowest byte.
inline std::uint64_t value_of_eight(std::uint64_t word) {
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t kMask = 0x000000ff000000ff;
  constexpr std::uint64_t kHigh = 0x000f424000000064;  // 100 + (1000000 << 32)
  constexpr std::uint64_t kLow = 0x0000271000000001;   // 1 + (10000 << 32)
  return (((word & kMask) * kHigh) + (((word >> 16) & kMask) * kLow)) >> 32;
}

// High bits of bytes, of which the lowest marks the first that is no digit: carries and borrows
// reach higher bytes only. `values` is the word less '0' in each byte.
inline std::uint64_t not_digits(std::uint64_t word, std::uint64_t values) {
  return ((word + 0x4646464646464646) | values) & 0x8080808080808080;
}

// Appends the digits at p to `digits`, eight at a time and without a branch on how many there are,
// which the next number would only have different. Overflows beyond kMostDigits.
inline const char* take_digits(const char* p, std::uint64_t& digits) {
  if constexpr (std::endian::native == std::endian::little) {
    for (;;) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, sizeof(word));
      const std::uint64_t values = word - 0x3030303030303030;
      const std::uint64_t others = not_digits(word, values);
      if (others == 0) {
        digits = digits * 100000000 + value_of_eight(values);
        p += 8;
        continue;
      }
      const int count = std::countr_zero(others) / 8;
      if (count == 0) return p;
      digits = digits * kWholePowers[count] + value_of_eight(values << (64 - 8 * count));
      return p + count;
    }
  }
  for (; is_digit(*p); ++p) digits = digits * 10 + static_cast<std::uint64_t>(*p - '0');
  return p;
}

}  // namespace decimal_detail

// Behind the integer of at most seven digits that starts at p; null when something else starts
// there. Whether the number goes on (.5, e3, more digits) is the caller's to see. One look at one
// word, as the cells of a column of counts are many and short. requires kDecimalPadding bytes
// behind p.
inline const char* parse_short_whole(const char* p, double& value) {
  using namespace decimal_detail;
  if constexpr (std::endian::native != std::endian::little) return nullptr;
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof(word));
  const unsigned negative = (word & 0xff) == '-';
  word >>= 8 * negative;  // a zero moves in, which is no digit
  const std::uint64_t values = word - 0x3030303030303030;
  const std::uint64_t others = not_digits(word, values);
  const int count = std::countr_zero(others) / 8;
  if (count == 0 || count == 8) return nullptr;
  const auto magnitude =
      static_cast<double>(static_cast<std::int64_t>(value_of_eight(values << (64 - 8 * count))));
  const std::uint64_t sign = std::uint64_t{negative} << 63;
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign);  // -0 stays -0
  return p + negative + count;
}

// Where the number that starts at p ends; null when it is not one of those above, or one that takes
// more work. requires a byte that is no digit, and kDecimalPadding bytes, behind the text.
inline const char* parse_decimal(const char* p, double& value) {
  using namespace decimal_detail;
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t digits = 0;
  const char* const first = p;
  p = take_digits(p, digits);
  auto count = p - first;
  int exponent = 0;
  bool whole = true;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = take_digits(p, digits);
    exponent = -static_cast<int>(p - fraction);
    count += p - fraction;
    whole = false;
  }
  if (count == 0) return nullptr;
  if (count > kMostDigits) {  // those in front of the first that is not 0 do not count
    for (const char* q = first; q != p && (*q == '0' || *q == '.'); ++q) count -= *q == '0';
    if (count > kMostDigits) return nullptr;
  }
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool down = *p == '-';
    if (down || *p == '+') ++p;
    if (!is_digit(*p)) return nullptr;
    int power = 0;
    for (int i = 0; i < 4 && is_digit(*p); ++i) power = power * 10 + (*p++ - '0');
    if (is_digit(*p)) return nullptr;
    exponent += down ? -power : power;
    whole = false;
  }
  double result = 0;
  if (digits <= kMostExact && exponent <= 0 && exponent >= -kMostPower) {
    result = static_cast<double>(digits) / kPowers[-exponent];
  } else if (whole || !round_decimal(digits, exponent, result)) {
    return nullptr;  // whole: beyond 2^53
  }
  const std::uint64_t sign = std::uint64_t{negative} << 63;
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(result) | sign);
  return p;
}

}  // namespace craton
