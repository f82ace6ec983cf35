#include "craton/tables/select_rows.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/base/random.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// A column that counts, one that misses values here and there, and weights that do.
struct Holes {
  explicit Holes(Index rows, double share) {
    for (Index i = 0; i < rows; ++i) {
      const auto draw = static_cast<double>(mix(7, static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
      const bool hole = draw < share;
      values.push_back(static_cast<double>(i));
      values.push_back(hole && i % 3 > 0 ? NAN : 1);
      weights.push_back(hole && i % 3 == 0 ? NAN : static_cast<double>(i + 1));
      if (!hole) kept.push_back(i);
    }
  }
  MemorySource source() const {
    return MemorySource(
        {.x = Dense<double>{values.data(), ssize(weights), 2, 2}, .weights = weights}, {}, "holes");
  }
  std::vector<double> values, weights;
  std::vector<Index> kept;
};

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

TEST_CASE("rows of a set come in order, with their weights and their places in the file") {
  const Holes holes(9000, 0.4);
  MemorySource all = holes.source();
  const RowSet set = RowSet::complete(all, {});
  SelectedRows some(all, set);
  REQUIRE(some.shape().rows == ssize(holes.kept));
  Block block;
  Chunk chunk;
  for (Index first = 0; first < some.shape().rows; first += 256) {
    const Index last = std::min(first + 256, some.shape().rows);
    some.fetch({first, last}, block);
    some.decode(block, chunk);
    REQUIRE(chunk.first_row == first);
    REQUIRE(chunk.rows() == last - first);
    const auto& x = std::get<Dense<double>>(chunk.x);
    for (Index i = 0; i < x.rows; ++i) {
      const Index row = holes.kept[usize(first + i)];
      REQUIRE(x.row(i)[0] == static_cast<double>(row));
      REQUIRE(chunk.weight(i) == static_cast<double>(row + 1));
      REQUIRE(some.row_in_file(first + i) == row);
    }
  }
  std::vector<double> row(2);
  some.reopen()->gather(std::vector<Index>{5}, row);
  CHECK(row[0] == static_cast<double>(holes.kept[5]));
}

TEST_CASE("a fold over the rows kept is that of a table of those rows") {
  const Holes holes(9000, 0.4);
  std::vector<double> values, weights;
  for (const Index i : holes.kept) {
    values.push_back(holes.values[usize(2 * i)]);
    values.push_back(holes.values[usize(2 * i + 1)]);
    weights.push_back(holes.weights[usize(i)]);
  }
  MemorySource all = holes.source();
  MemorySource copy({.x = Dense<double>{values.data(), ssize(weights), 2, 2}, .weights = weights});
  const RowSet set = RowSet::complete(all, {});
  SelectedRows some(all, set);
  const ColumnStatistics a = check_table(some, {.threads = 2}), b = check_table(copy, {});
  CHECK(a.mean() == b.mean());
  CHECK(a.variance() == b.variance());
  CHECK(a.data_hash() == b.data_hash());
}

TEST_CASE("a slice counts its rows from 0 and knows where they lie") {
  const Holes holes(1000, 0);
  MemorySource all = holes.source();
  RowSlice slice(all, {300, 700});
  CHECK(slice.shape().rows == 400);
  Block block;
  Chunk chunk;
  slice.fetch({10, 20}, block);
  slice.decode(block, chunk);
  CHECK(chunk.first_row == 10);
  CHECK(std::get<Dense<double>>(chunk.x).row(0)[0] == 310);
  CHECK(slice.row_in_file(10) == 310);
  std::vector<double> row(2);
  slice.reopen()->gather(std::vector<Index>{1}, row);
  CHECK(row[0] == 301);
}

TEST_CASE("sparse rows stay sparse, with what belongs to them") {
  const std::vector<Index> offsets{0, 1, 3, 3, 6, 7};
  const std::vector<std::int32_t> columns{2, 0, 1, 0, 1, 2, 1}, labels{0, 1, 2, 3, 4};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> weights{1, 2, 3, 4, 5};
  MemorySource all({.x = Sparse<float>{offsets.data(), columns.data(), values.data(), 5, 3},
                    .labels = labels,
                    .weights = weights});
  const RowSet odd = RowSet::where(5, [](Index row) { return row != 1 && row != 2; });
  SelectedRows some(all, odd);
  Block block;
  Chunk chunk;
  some.fetch({0, 3}, block);
  some.decode(block, chunk);
  const auto& x = std::get<Sparse<double>>(chunk.x);
  CHECK(std::vector(x.offsets, x.offsets + 4) == std::vector<Index>{0, 1, 4, 5});
  CHECK(std::vector(x.columns, x.columns + 5) == std::vector<std::int32_t>{2, 0, 1, 2, 1});
  CHECK(std::vector(x.values, x.values + 5) == std::vector<double>{1, 4, 5, 6, 7});
  CHECK(std::vector(chunk.labels.begin(), chunk.labels.end()) ==
        std::vector<std::int32_t>{0, 3, 4});
  CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{1, 4, 5});
}

TEST_CASE("rows of a set of rows of a set are those of both") {
  const Holes holes(5000, 0.3);
  MemorySource all = holes.source();
  const RowSet complete = RowSet::complete(all, {});
  SelectedRows some(all, complete);
  const RowSet thirds = RowSet::where(complete.size(), [](Index row) { return row % 3 == 1; });
  SelectedRows fewer(some, thirds);
  const Array values = read_all(fewer);
  REQUIRE(values.rows() == thirds.size());
  for (Index i = 0; i < thirds.size(); ++i) {
    REQUIRE(values.view().row(i)[0] == static_cast<double>(complete[thirds[i]]));
  }
}

}  // namespace
}  // namespace craton
