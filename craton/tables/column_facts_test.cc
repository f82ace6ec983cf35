#include "craton/tables/column_facts.h"

#include <doctest/doctest.h>

#include <cmath>

namespace craton {
namespace {

constexpr double kNaN = NAN;

TEST_CASE("facts of numbers, categories, row numbers and missing values") {
  const std::vector<double> values{7,  2.5,  0,    kNaN,  //
                                   8,  -1,   2,    kNaN,  //
                                   9,  2.5,  2,    kNaN,  //
                                   10, kNaN, kNaN, kNaN};
  Schema schema = numbered_schema(4);
  schema.columns[2] = {"k", ColumnKind::kCategory, {"a", "b", "c"}};
  MemorySource source({Dense<double>{values.data(), 4, 4, 4}}, schema);
  const auto facts = column_facts(source, 4, {});
  REQUIRE(facts.size() == 4);
  CHECK(facts[0].counts_up);
  CHECK(facts[0].distinct == 4);
  CHECK(facts[0].median == 8.5);
  CHECK_FALSE(facts[1].counts_up);
  CHECK(facts[1].missing == 1);
  CHECK(facts[1].distinct == 2);
  CHECK(facts[1].least == -1);
  CHECK(facts[1].greatest == 2.5);
  CHECK(facts[2].rows == std::vector<Index>{1, 0, 2});
  CHECK(facts[2].distinct == 2);
  CHECK(facts[3].missing == 4);
  CHECK(facts[3].distinct == 0);
  CHECK(std::isnan(facts[3].median));
  CHECK(column_facts(source, 2, {}).size() == 2);
}

TEST_CASE("long columns count up over the borders of chunks, and break there too") {
  constexpr Index kRows = 20000;
  std::vector<double> values;
  for (Index i = 0; i < kRows; ++i) {
    values.push_back(static_cast<double>(i));
    values.push_back(static_cast<double>(i < 4096 ? i : i + 1));
    values.push_back(static_cast<double>(i % 3));
  }
  MemorySource source({Dense<double>{values.data(), kRows, 3, 3}});
  for (const int threads : {1, 3}) {
    const auto facts = column_facts(source, 3, {.threads = threads});
    CHECK(facts[0].counts_up);
    CHECK(facts[0].distinct == -1);
    CHECK_FALSE(facts[1].counts_up);
    CHECK(facts[2].distinct == 3);
  }
}

TEST_CASE("a table without rows has facts too") {
  MemorySource source({Dense<double>{nullptr, 0, 2, 2}});
  const auto facts = column_facts(source, 2, {});
  CHECK(facts[1].missing == 0);
  CHECK_FALSE(facts[1].counts_up);
}

}  // namespace
}  // namespace craton
