#include "craton/kernels/dispatch.h"

#include <doctest/doctest.h>

TEST_CASE("kernels run on instructions that have a name") {
  CHECK_FALSE(craton::cpu_target().empty());
  CHECK(craton::cpu_target() == craton::cpu_target());
}
