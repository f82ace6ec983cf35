#include "craton/tables/columns.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"

using namespace craton;

namespace {

Code code_of(const std::vector<double>& x, const std::vector<double>& weights = {}) {
  MemorySource source({.x = Dense<double>{x.data(), std::ssize(x) / 2, 2, 2}, .weights = weights});
  try {
    check_table(source, {});
  } catch (const InputError& error) {
    return error.code();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("moments are exact on data with an offset of 1e9") {
  // 4, 7, 13, 16 has mean 10 and variance 22.5 (divisor n).
  const std::vector<double> x{1e9 + 4, 1, 1e9 + 7, 1, 1e9 + 13, 1, 1e9 + 16, 1};
  MemorySource source({.x = Dense<double>{x.data(), 4, 2, 2}});
  const ColumnStatistics s = check_table(source, {});
  CHECK(s.mean()[0] == 1e9 + 10);
  CHECK(s.variance()[0] == 22.5);
  CHECK(s.rows() == 4);
  CHECK(s.constant(1));
  CHECK_FALSE(s.constant(0));
}

TEST_CASE("a weight is so many copies, and a row of weight 0 is not there") {
  const std::vector<double> x{1, 1, 2, 5, 9, 9}, weights{2, 1, 0};
  MemorySource source({.x = Dense<double>{x.data(), 3, 2, 2}, .weights = weights});
  const ColumnStatistics s = check_table(source, {});
  CHECK(s.weight() == 3);
  CHECK(s.rows() == 2);
  CHECK(s.mean()[0] == doctest::Approx(4.0 / 3));
  CHECK(s.variance()[0] == doctest::Approx(2.0 / 9));
}

TEST_CASE("merging chunks equals one pass over all rows") {
  std::vector<double> x(20'000);
  Random random(3, Purpose::kTest);
  for (double& v : x) v = 1e6 + random.normal();
  MemorySource source({.x = Dense<double>{x.data(), 20'000, 1, 1}});
  double mean = 0, square = 0;
  for (const double v : x) mean += v / 20'000;
  for (const double v : x) square += (v - mean) * (v - mean) / 20'000;
  const ColumnStatistics s = check_table(source, {.threads = 2});
  CHECK(s.mean()[0] == doctest::Approx(mean).epsilon(1e-14));
  CHECK(s.variance()[0] == doctest::Approx(square).epsilon(1e-11));
}

TEST_CASE("the hash of the data does not depend on order, chunks, type or rows of weight 0") {
  std::vector<double> x;
  for (Index i = 0; i < 4000; ++i) x.push_back(static_cast<double>(i * i % 97) / 8);
  std::vector<double> reversed;
  for (std::size_t i = x.size(); i > 0; i -= 2) {
    reversed.insert(reversed.end(), {x[i - 2], x[i - 1]});
  }
  std::vector<double> with_nobody = x;
  with_nobody.insert(with_nobody.end(), {5, 6});
  std::vector<double> weights(2001, 1.0);
  weights.back() = 0;
  const std::vector<float> floats(x.begin(), x.end());
  const auto hash = [](const Memory& memory, const Exec& exec = {}) {
    MemorySource source(memory);
    return check_table(source, exec).data_hash();
  };
  const std::string expected = hash({.x = Dense<double>{x.data(), 2000, 2, 2}});
  CHECK(expected.size() == 16);
  CHECK(hash({.x = Dense<double>{x.data(), 2000, 2, 2}}, {.threads = 3}) == expected);
  CHECK(hash({.x = Dense<float>{floats.data(), 2000, 2, 2}}) == expected);
  CHECK(hash({.x = Dense<double>{reversed.data(), 2000, 2, 2}}) == expected);
  CHECK(hash({.x = Dense<double>{with_nobody.data(), 2001, 2, 2}, .weights = weights}) == expected);
  CHECK(hash({.x = Dense<double>{x.data(), 1999, 2, 2}}) != expected);
  weights.back() = 2;
  CHECK(hash({.x = Dense<double>{with_nobody.data(), 2001, 2, 2}, .weights = weights}) !=
        hash({.x = Dense<double>{with_nobody.data(), 2001, 2, 2}}));
}

TEST_CASE("a look at all rows leaves hashes and weights, whatever type they have") {
  const std::vector<double> x{1, 0, 0, 2.5, 1, 0, 7, 7}, weights{1, 2, 3, 0};
  const std::vector<float> floats(x.begin(), x.end()), entries{1, 2.5, 1, 7, 7};
  const std::vector<Index> offsets{0, 1, 2, 3, 5};
  const std::vector<std::int32_t> columns{0, 1, 0, 0, 1};
  const Matrix tables[] = {Dense<double>{x.data(), 4, 2, 2}, Dense<float>{floats.data(), 4, 2, 2},
                           Sparse<float>{offsets.data(), columns.data(), entries.data(), 4, 2}};
  RowKeys first(4);
  for (const Matrix& table : tables) {
    MemorySource source({.x = table, .weights = weights});
    RowKeys keys(4);
    check_table(source, {}, Takes::kSparseToo, &keys);
    CHECK(keys.weight == weights);
    CHECK(keys.hash[0] == keys.hash[2]);
    CHECK(keys.hash[0] != keys.hash[1]);
    if (&table == &tables[0]) first = keys;
    CHECK(keys.hash == first.hash);
  }
}

TEST_CASE("a table that cannot be fitted is refused by its code") {
  CHECK(code_of({}) == Code::kNoRows);
  CHECK(code_of({1, NAN}) == Code::kNotFinite);
  CHECK(code_of({1, 2, -INFINITY, 4}) == Code::kNotFinite);
  CHECK(code_of({1e200, 2, -1e200, 4}) == Code::kNotFinite);
  CHECK(code_of({1, 2}, {-1.0}) == Code::kBadWeight);
  CHECK(code_of({1, 2, 3, 4}, {1e306, 1.0}) == Code::kBadWeight);
  CHECK(code_of({1, 2, 3, 4}, {1e-240, 1e-240}) == Code::kBadWeight);
  CHECK(code_of({1, 2}, {NAN}) == Code::kBadWeight);
  CHECK(code_of({1, 2, 3, 4}, {0.0, 0.0}) == Code::kBadWeight);
}

TEST_CASE("the message of a bad value names file, row and column") {
  std::vector<double> x(20'000, 1.0);
  x[13'001] = NAN;
  Schema schema = numbered_schema(2);
  schema.columns[1].name = "waiting";
  MemorySource source({.x = Dense<double>{x.data(), 10'000, 2, 2}}, schema, "geyser.csv");
  try {
    check_table(source, {.threads = 3});
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.place().row == 6500);
    CHECK(error.place().column == "waiting");
    CHECK(error.place().file == "geyser.csv");
  }
}

TEST_CASE("sparse rows are refused by name") {
  const std::vector<Index> offsets{0, 1};
  const std::vector<std::int32_t> columns{0};
  const std::vector<double> values{1};
  MemorySource source({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 1, 3}});
  CHECK_THROWS_WITH_AS(check_table(source, {}), doctest::Contains("sparse"), InputError);
}

TEST_CASE("sparse rows have the moments, the ranges and the hash of the same rows written out") {
  constexpr Index kRows = 3'000, kCols = 3;
  std::vector<double> x, values, weights;
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  Random random(5, Purpose::kTest);
  for (Index i = 0; i < kRows; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (std::int32_t j = 0; j < kCols; ++j) {
      x.push_back(j == 2 || random.uniform() < 0.2 ? 5 + random.normal() : 0);  // column 2 is full
      if (x.back() == 0) continue;
      values.push_back(x.back());
      columns.push_back(j);
    }
    offsets.push_back(std::ssize(values));
  }
  MemorySource dense({.x = Dense<double>{x.data(), kRows, kCols, kCols}, .weights = weights});
  MemorySource sparse(
      {.x = Sparse<double>{offsets.data(), columns.data(), values.data(), kRows, kCols},
       .weights = weights});
  const ColumnStatistics a = check_table(dense, {});
  const ColumnStatistics b = check_table(sparse, {}, Takes::kSparseToo);
  CHECK_FALSE(a.sparse());
  CHECK(b.sparse());
  CHECK(a.data_hash() == b.data_hash());
  CHECK(a.rows() == b.rows());
  for (Index j = 0; j < kCols; ++j) {
    CHECK(a.mean()[usize(j)] == doctest::Approx(b.mean()[usize(j)]).epsilon(1e-13));
    CHECK(a.variance()[usize(j)] == doctest::Approx(b.variance()[usize(j)]).epsilon(1e-12));
    CHECK(a.range(j) == b.range(j));
  }
  CHECK_THROWS_WITH_AS(check_table(sparse, {}), doctest::Contains("sparse"), InputError);
}
