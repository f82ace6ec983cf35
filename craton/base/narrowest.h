#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "craton/base/matrix.h"

// Doubles in two or four bytes each, where that loses no bit. Counts, pixels and codes then cost a
// quarter of the memory, the disk and the page faults.

namespace craton {

enum class Width : std::int8_t { kInt16 = 2, kFloat = 4, kDouble = 8 };  // bytes of a value

inline double widened(double x) { return x; }
inline double widened(float x) { return x; }
inline double widened(std::int16_t x) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return x == std::numeric_limits<std::int16_t>::min() ? kNaN : x;  // a missing value
}

// Values at the least width from which `widened` gives back every one, bit for bit.
struct NarrowestValues {
  explicit NarrowestValues(std::span<const double> values);
  void own();  // copies them if they are borrowed

  Width width = Width::kDouble;
  std::span<const std::byte> bytes;  // of doubles: borrowed
  std::unique_ptr<std::byte[]> room;
};

}  // namespace craton
