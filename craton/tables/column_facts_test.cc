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

TEST_CASE("moments, quartiles and bars of numbers, of which some are not finite") {
  const std::vector<double> values{1, 2, 4, 8, 9, kNaN, INFINITY, 2, 1, 2};
  MemorySource source({Dense<double>{values.data(), 10, 1, 1}});
  const ColumnFacts facts = column_facts(source, 1, {})[0];
  CHECK(facts.missing == 1);
  CHECK(facts.infinite == 1);
  CHECK(facts.numbers() == 8);
  CHECK(facts.mean == doctest::Approx(29 / 8.0).epsilon(1e-15));
  CHECK(facts.deviation == doctest::Approx(std::sqrt((175 - 29 * 29 / 8.0) / 7)).epsilon(1e-15));
  CHECK(facts.lower_quartile == 2);
  CHECK(facts.whole);
  CHECK(facts.bars == std::vector<Index>{2, 3, 0, 1, 0, 0, 0, 1, 1});
  CHECK(facts.bars_from == 0.5);
  CHECK(facts.bar_width == 1);
  CHECK(facts.low[0] == ColumnFacts::Value{1, 2, 0});
  CHECK(facts.low[1] == ColumnFacts::Value{2, 3, 1});
  CHECK(std::isinf(facts.high[0].value));
  CHECK(facts.high[1] == ColumnFacts::Value{9, 1, 4});
}

TEST_CASE("moments at the end of the doubles and far from 0 keep their digits") {
  const std::vector<double> values{1.7e308,  1e9 + 1, 5e-324,  //
                                   -1.7e308, 1e9 + 2, 0,       //
                                   1.7e308,  1e9 + 3, 5e-324};
  MemorySource source({Dense<double>{values.data(), 3, 3, 3}});
  const auto facts = column_facts(source, 3, {});
  CHECK(facts[0].mean == doctest::Approx(1.7e308 / 3));
  CHECK(facts[0].deviation == INFINITY);  // 1.96e308 is none
  CHECK(facts[0].bars == std::vector<Index>{1, 0, 0, 0, 0, 0, 0, 2});
  CHECK(facts[1].deviation == 1);
  CHECK(facts[1].mean == 1e9 + 2);
  CHECK(facts[2].bars == std::vector<Index>{1, 0, 0, 0, 0, 0, 0, 2});
}

TEST_CASE("the ends of a long column are the same on any threads, and tell the first rows") {
  constexpr Index kRows = 9000;
  std::vector<double> values;
  for (Index i = 0; i < kRows; ++i) values.push_back(static_cast<double>(i * 7919 % 4001) / 4);
  values[5000] = 4000;
  values[7000] = 4000;
  MemorySource source({Dense<double>{values.data(), kRows, 1, 1}});
  const ColumnFacts one = column_facts(source, 1, {.threads = 1})[0];
  const ColumnFacts three = column_facts(source, 1, {.threads = 3})[0];
  CHECK(one.high[0] == ColumnFacts::Value{4000, 2, 5000});
  CHECK(one.low[0] == ColumnFacts::Value{0, 3, 0});
  CHECK(one.high == three.high);
  CHECK(one.low == three.low);
  CHECK(one.mean == three.mean);
  CHECK(one.deviation == three.deviation);
  CHECK(one.bars == three.bars);
}

TEST_CASE("a table without rows has facts too") {
  MemorySource source({Dense<double>{nullptr, 0, 2, 2}});
  const auto facts = column_facts(source, 2, {});
  CHECK(facts[1].missing == 0);
  CHECK_FALSE(facts[1].counts_up);
}

}  // namespace
}  // namespace craton
