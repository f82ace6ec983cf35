#include "craton/io/decimal.h"

#include <fast_float/fast_float.h>

namespace craton {

bool round_decimal(std::uint64_t digits, int exponent, double& value) {
  // What fast_float::from_chars does once it has read the digits.
  const auto rounded =
      fast_float::compute_float<fast_float::binary_format<double>>(exponent, digits);
  if (rounded.power2 < 0) return false;
  fast_float::to_float(false, rounded, value);
  return true;
}

}  // namespace craton
