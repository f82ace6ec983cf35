#include "craton/tables/row_set.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "tests/holes.h"

namespace craton {
namespace {

TEST_CASE("a set knows its rows and how many lie before any") {
  for (const Index rows : {0, 1, 63, 64, 65, 4096, 10000}) {
    for (const double share : {0.0, 0.3, 0.99, 1.1}) {
      CAPTURE(rows);
      CAPTURE(share);
      const Holes holes(rows, share);
      MemorySource source = holes.source();
      const RowSet set = RowSet::complete(source, {.threads = 2});
      REQUIRE(set.size() == ssize(holes.kept));
      Index rank = 0;
      for (Index i = 0; i < rows; ++i) {
        REQUIRE(set.rank(i) == rank);
        if (set.contains(i)) REQUIRE(set[rank++] == i);
      }
      CHECK(set.rank(rows) == set.size());
      if (set.size() < rows) CHECK_FALSE(set.contains(set.first_absent()));
    }
  }
}

TEST_CASE("a row whose number is missing is not complete where numbers are the target") {
  const std::vector<double> x{1, 2, 3}, y{1, std::nan(""), 3};
  for (const bool target : {false, true}) {
    Schema schema = numbered_schema(1);
    if (target) schema.target = Column{"y"};
    MemorySource source({.x = Dense<double>{x.data(), 3, 1, 1}, .targets = y}, schema);
    const RowSet set = RowSet::complete(source, {});
    CHECK(set.size() == (target ? 2 : 3));
    CHECK(set.contains(1) == !target);
  }
}

TEST_CASE("a set goes through its rows of any range") {
  const RowSet thirds = RowSet::where(300, [](Index row) { return row % 3 == 1; });
  for (const auto& [first, last] : {std::pair(0, 300), std::pair(63, 65), std::pair(70, 70),
                                    std::pair(100, 257), std::pair(190, 193)}) {
    std::vector<Index> seen, expected;
    thirds.each({first, last}, [&](Index row) { seen.push_back(row); });
    for (Index row = first; row < last; ++row) {
      if (row % 3 == 1) expected.push_back(row);
    }
    CHECK(seen == expected);
  }
}

}  // namespace
}  // namespace craton
