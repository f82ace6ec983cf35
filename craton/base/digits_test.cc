#include "craton/base/digits.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton {

TEST_CASE("a number is shown to the digits asked for") {
  CHECK(shown_beside(191.13527, 6.07, 4) == "191.1");
  CHECK(shown_beside(2.7, 0, 3) == "2.7");
  CHECK(shown_beside(-0.0123456, 0, 3) == "-0.0123");
  CHECK(shown_beside(9.9996, 0, 4) == "10");
}

TEST_CASE("a number has the digits that tell it from others of its spread") {
  CHECK(shown_beside(1e13 + 0.25, 0.5, 4) == "10000000000000.25");
  CHECK(shown_beside(1e13 + 3, 5, 4) == "10000000000003");
  CHECK(shown_beside(1700000012.0, 30, 4) == "1700000012");
}

TEST_CASE("what rounding leaves of zero is zero") {
  CHECK(shown_beside(3.899e-49, 7.39, 4) == "0");
  CHECK(shown_beside(-1e-20, 1, 4) == "0");
  CHECK(shown_beside(3.899e-49, 0, 4) == "3.899e-49");
}

TEST_CASE("there is no exponent where the number fits") {
  CHECK(shown_beside(21234, 700, 4) == "21230");
  CHECK(shown_beside(21234, 0, 4) == "21230");
  CHECK(shown_beside(0.0000212, 0, 3) == "0.0000212");
  CHECK(shown_beside(1.5e20, 0, 3) == "1.5e+20");
  CHECK(shown_beside(NAN, 1, 3) == "nan");
}

}  // namespace craton
