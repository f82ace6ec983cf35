#include "craton/io/decimal.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "craton/base/matrix.h"
#include "craton/base/random.h"

namespace craton {
namespace {

// The text as the parser sees it: something behind it, and room.
struct Parsed {
  explicit Parsed(const std::string& text) {
    const std::string padded = text + "," + std::string(kDecimalPadding, '\0');
    const char* const end = parse_decimal(padded.data(), value);
    taken = end == nullptr ? -1 : end - padded.data();
  }
  double value = -1;
  Index taken = 0;
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// strtod of glibc rounds correctly: an independent judge.
void check(const std::string& text) {
  CAPTURE(text);
  const Parsed parsed(text);
  REQUIRE(parsed.taken == ssize(text));
  CHECK(same_bits(parsed.value, std::strtod(text.c_str(), nullptr)));
}

std::string digits(Random& random, Index count) {
  std::string text;
  for (Index i = 0; i < count; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

TEST_CASE("plain decimals are rounded as strtod rounds them") {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1",
                           "0.1",
                           ".5",
                           "5.",
                           "-0.0",
                           "123456789012345",
                           "9007199254740992",
                           "0.30000000000000004",
                           "1e5",
                           "1E5",
                           "1e+05",
                           "1.5e-05",
                           "2.2250738585072011e-308",
                           "4.9406564584124654e-324",
                           "1.7976931348623157e308",
                           "1e400",
                           "1e-400",
                           "0e400",
                           "8.5",
                           "1.2345678901234567",
                           "0.0000000000000000012",
                           "123456.7890123456789"}) {
    check(text);
  }
}

// The same for an integer of a few characters; -1: it is left to parse_decimal.
Index taken_as_short(const std::string& text, double& value) {
  const std::string padded = text + std::string(kDecimalPadding, '\0');
  const char* const end = parse_short_whole(padded.data(), value);
  return end == nullptr ? -1 : end - padded.data();
}

TEST_CASE("short integers are what strtod says, and end where their digits do") {
  for (int i = -999'999; i <= 9'999'999; i += i % 1000 == 0 ? 1 : 37) {
    const std::string text = std::to_string(i);
    double value = -1;
    REQUIRE(taken_as_short(text + ",99", value) == ssize(text));
    REQUIRE(value == i);
  }
  double value = -1;
  for (const char* text : {"0", "-0", "007", "-000000"}) {
    CHECK(taken_as_short(text, value) == ssize(std::string_view(text)));
    CHECK(same_bits(value, std::strtod(text, nullptr)));
  }
  for (const std::string after : {".5", "e3", "x", "\n", " ", "/", ":", "\xb0", "\xff"}) {
    CHECK(taken_as_short("12" + after, value) == 2);
    CHECK(value == 12);
  }
  CHECK(taken_as_short("-12345678", value) == 8);  // a digit is left: no delimiter
}

TEST_CASE("what is no short integer is left alone") {
  double value = -1;
  for (const char* text : {"", "-", "--1", "+1", ".5", "x1", "12345678", " 1", "-x"}) {
    CAPTURE(text);
    CHECK(taken_as_short(text, value) == -1);
  }
}

TEST_CASE("a hundred thousand random decimals are rounded as strtod rounds them") {
  Random random(1, Purpose::kTest);
  for (int i = 0; i < 100'000; ++i) {
    const Index whole = random.below(9), fraction = random.below(11);
    std::string text = random.below(2) == 0 ? "-" : "";
    text += digits(random, whole + (fraction == 0 ? 1 : 0));
    if (fraction > 0) text += "." + digits(random, fraction);
    if (random.below(4) == 0) text += fmt::format("e{}", random.below(80) - 40);
    check(text);
  }
}

TEST_CASE("the shortest texts of random doubles give them back") {
  Random random(2, Purpose::kTest);
  for (int i = 0; i < 100'000; ++i) {
    const double value =
        random.normal() * std::pow(10.0, static_cast<double>(random.below(40)) - 20);
    const std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == text.npos) continue;  // whole, and perhaps beyond 2^53
    check(text);
  }
}

TEST_CASE("what is no plain decimal is left alone") {
  for (const char* text : {"", "-", ".", "-.", "e5", "1e", "1e+", "nan", "inf", "+1", "abc",
                           "12345678901234567890", "0.12345678901234567890", "1e12345"}) {
    CAPTURE(text);
    CHECK(Parsed(text).taken == -1);
  }
  CHECK(Parsed("12345678901234567").taken == -1);  // whole and beyond 2^53
}

TEST_CASE("the number ends where its characters end") {
  CHECK(Parsed("1.5x").taken == 3);
  CHECK(Parsed("1.5.5").taken == 3);
  CHECK(Parsed("12 ").taken == 2);
}

}  // namespace
}  // namespace craton
