#pragma once
#include <string>

namespace craton {

// A number for a table: at least `digits` significant ones, and more where two values that differ
// by a hundredth of `spread` would look alike; 0 where it is rounding noise beside the spread. An
// exponent only where the number would be very long. `spread` is 0 when it is not known.
std::string shown_beside(double value, double spread, int digits);

}  // namespace craton
