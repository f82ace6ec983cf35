#include "craton/base/narrowest.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "craton/base/random.h"

namespace craton {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
void check_same(const NarrowestValues& packed, std::span<const double> values) {
  REQUIRE(packed.bytes.size() == values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value{};
    std::memcpy(&value, packed.bytes.data() + i * sizeof(T), sizeof(T));
    CHECK(std::bit_cast<std::uint64_t>(widened(value)) == std::bit_cast<std::uint64_t>(values[i]));
  }
}

// The width, having seen that it gives the same bits.
Width width_of(const std::vector<double>& values) {
  NarrowestValues packed(values);
  for (int time = 0; time < 2; ++time) {
    if (packed.width == Width::kInt16) check_same<std::int16_t>(packed, values);
    if (packed.width == Width::kFloat) check_same<float>(packed, values);
    if (packed.width == Width::kDouble) check_same<double>(packed, values);
    packed.own();
    CHECK(packed.bytes.data() == packed.room.get());
  }
  return packed.width;
}

TEST_CASE("small integers and missing values take two bytes") {
  std::vector<double> values{kNaN};
  for (int i = -32767; i <= 32767; ++i) values.push_back(i);
  CHECK(width_of(values) == Width::kInt16);
  CHECK(width_of({}) == Width::kInt16);
}

TEST_CASE("what is no small integer, but a float, takes four") {
  for (const double x : {-32768.0, 32768.0, -0.0, 0.5, -1.25, 65536.0, 16777216.0, kInfinity,
                         -kInfinity, -kNaN, 0x1.8p52, 0x1p63, 0x1p100, 0x1p-140, 0x1p-149}) {
    CAPTURE(x);
    CHECK(width_of({1, kNaN, x, 2}) == Width::kFloat);
  }
}

TEST_CASE("one value that a float would round keeps all of them wide, wherever it is") {
  const double payload = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kNaN) | 1);
  for (const double x : {0.1, 16777217.0, 1e-300, 1e300, 0x1p-150, 4294967297.0, 0x1p52 + 1,
                         0x1.8p52 + 1, 1.0 + 0x1p-52, payload}) {
    CAPTURE(x);
    for (const Index at : {0, 511, 512, 1999}) {
      std::vector<double> values(2000, 3);
      values[usize(at)] = x;
      CHECK(width_of(values) == Width::kDouble);
    }
  }
}

TEST_CASE("bits drawn at random come back") {
  Random random(5, Purpose::kTest);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::bit_cast<double>(random.bits());
    const bool float_is_exact =
        std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(x))) ==
        std::bit_cast<std::uint64_t>(x);
    CHECK(width_of({x}) == (float_is_exact ? Width::kFloat : Width::kDouble));
  }
}

}  // namespace
}  // namespace craton
