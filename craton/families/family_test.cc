#include "craton/families/family.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/families/choose.h"
#include "craton/families/prior.h"
#include "tests/family_cases.h"
#include "tests/refused.h"

using namespace craton;

TEST_CASE("every family is found by its name, and names differ") {
  for (const Family* family : families()) CHECK(find_family(family->name()) == family);
  CHECK(find_family("no such") == nullptr);
  check_refused([] { get_family("poison"); }, Code::kUnknownName, -1, "poisson");
}

TEST_CASE("supports hold what they say and nothing else") {
  struct Row {
    Support support;
    std::vector<double> in, out;
  };
  const std::vector<Row> rows{
      {Support::kReal, {-1e300, 0, 3.5}, {}},
      {Support::kAngle, {-100, 0, 7}, {}},
      {Support::kPositive, {5e-324, 1, 1e300}, {0, -0.0, -1}},
      {Support::kNonNegative, {0, -0.0, 2.5}, {-5e-324}},
      {Support::kUnit, {5e-324, 0.5, 1 - 0x1p-53}, {0, 1, -0.1, 1.1}},
      {Support::kCounts, {0, 1, 1e15}, {-1, 0.5}},
      {Support::kCategory, {0, 1, 7}, {-1, 0.5}},
      {Support::kBinary, {0, 1}, {-1, 0.5, 2}},
  };
  for (const Row& row : rows) {
    CAPTURE(to_text(row.support));
    for (const double x : row.in) CHECK_MESSAGE(holds(row.support, x), x);
    for (const double x : row.out) CHECK_MESSAGE(!holds(row.support, x), x);
    for (const double x : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL})
      CHECK(!holds(row.support, x));
  }
}

TEST_CASE("a value outside the support is refused with row, column, value and families that fit") {
  const Family& gamma = get_family("gamma");
  const std::vector<double> column{3, 1, NAN, -2, 5};
  CHECK(first_outside(gamma, column) == 3);
  CHECK(first_outside(get_family("gaussian"), column) == -1);
  Extent extent;
  extent.add(column);
  const auto fail = [&] { fail_support(gamma, column[3], {.row = 3, .column = "age"}, extent); };
  check_refused(fail, Code::kOutsideSupport, -1, "-2");
  check_refused(fail, Code::kOutsideSupport, -1, "age");
  check_refused(fail, Code::kOutsideSupport, -1, "row 3");
  check_refused(fail, Code::kOutsideSupport, -1, "gaussian");
}

TEST_CASE("every extent of finite numbers has families to compare") {
  for (const Extent& extent :
       {Extent{0, 1, true}, Extent{0, kGreatestCount, true}, Extent{1e20, 3e21, true},
        Extent{-5, 1e300, true}, Extent{1e-300, 0.5, false}, Extent{-1, 0.5, false}}) {
    CAPTURE(extent.high);
    const std::vector<const Family*> found = comparable_families(extent);
    REQUIRE_FALSE(found.empty());
    const bool counts = extent.low >= 0 && extent.integers && extent.high <= kGreatestCount;
    for (const Family* family : found) CHECK(counted(*family) == counts);
  }
}
