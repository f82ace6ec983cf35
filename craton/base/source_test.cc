#include "craton/base/source.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>

namespace craton {
namespace {

// The same table four ways:
//   1 0 2
//   0 0 0
//   0 3 0
//   4 5 6
const std::vector<double> kValues{1, 0, 2, 0, 0, 0, 0, 3, 0, 4, 5, 6};
const std::vector<float> kFloats(kValues.begin(), kValues.end());
const std::vector<Index> kOffsets{0, 2, 2, 3, 6};
const std::vector<std::int32_t> kColumns{0, 2, 1, 0, 1, 2};
const std::vector<double> kNonzeros{1, 2, 3, 4, 5, 6};
const std::vector<float> kFloatNonzeros(kNonzeros.begin(), kNonzeros.end());

std::vector<Matrix> four_forms() {
  return {Dense<double>{kValues.data(), 4, 3, 3}, Dense<float>{kFloats.data(), 4, 3, 3},
          Sparse<double>{kOffsets.data(), kColumns.data(), kNonzeros.data(), 4, 3},
          Sparse<float>{kOffsets.data(), kColumns.data(), kFloatNonzeros.data(), 4, 3}};
}

std::vector<double> gathered(Source& source, const std::vector<Index>& rows) {
  std::vector<double> out(rows.size() * usize(source.shape().cols), -1);
  source.gather(rows, out);
  return out;
}

Chunk chunk_of(Source& source, RowRange range) {
  Block block;
  Chunk chunk;
  source.fetch(range, block);
  source.decode(block, chunk);
  return chunk;
}

// A chunk's features as a dense table.
std::vector<double> values_of(const Chunk& chunk) {
  MemorySource part({.x = chunk.x});
  std::vector<Index> rows;
  for (Index i = 0; i < chunk.rows(); ++i) rows.push_back(i);
  return gathered(part, rows);
}

}  // namespace

TEST_CASE("rows are gathered in the order asked, dense and sparse alike") {
  for (const Matrix& x : four_forms()) {
    MemorySource source({.x = x});
    CHECK(gathered(source, {3, 0, 1, 3}) ==
          std::vector<double>{4, 5, 6, 1, 0, 2, 0, 0, 0, 4, 5, 6});
    CHECK(gathered(source, {}).empty());
  }
}

TEST_CASE("gather refuses room for another number of values") {
  MemorySource source({.x = four_forms()[0]});
  std::vector<double> out(4);
  CHECK_THROWS_AS(source.gather(std::vector<Index>{0}, out), std::logic_error);
}

TEST_CASE("a chunk holds its rows, dense and sparse alike") {
  for (const Matrix& x : four_forms()) {
    MemorySource source({.x = x});
    const Chunk chunk = chunk_of(source, {1, 4});
    CHECK(chunk.first_row == 1);
    CHECK(chunk.rows() == 3);
    CHECK(values_of(chunk) == std::vector<double>{0, 0, 0, 0, 3, 0, 4, 5, 6});
    CHECK(chunk_of(source, {2, 2}).rows() == 0);
  }
}

TEST_CASE("a slice of a slice holds the same rows") {
  for (const Matrix& x : four_forms()) {
    MemorySource part({.x = slice(slice(x, {1, 4}), {1, 3})});
    CHECK(gathered(part, {0, 1}) == std::vector<double>{0, 3, 0, 4, 5, 6});
  }
}

TEST_CASE("columns beyond the view are skipped by the stride") {
  MemorySource source({.x = Dense<double>{kValues.data() + 1, 3, 2, 3}});
  CHECK(gathered(source, {0, 2}) == std::vector<double>{0, 2, 3, 0});
  CHECK(values_of(chunk_of(source, {1, 3})) == std::vector<double>{0, 0, 3, 0});
}

TEST_CASE("a chunk has its part of labels, targets and weights") {
  const std::vector<std::int32_t> labels{0, 1, -1, 2};
  const std::vector<double> targets{10, 11, 12, 13}, weights{1, 2, 3, 4};
  MemorySource source(
      {.x = four_forms()[0], .labels = labels, .targets = targets, .weights = weights});
  const Chunk chunk = chunk_of(source, {1, 3});
  CHECK(std::vector(chunk.labels.begin(), chunk.labels.end()) == std::vector<std::int32_t>{1, -1});
  CHECK(std::vector(chunk.targets.begin(), chunk.targets.end()) == std::vector<double>{11, 12});
  CHECK(chunk.weight(1) == 3);
}

TEST_CASE("absent labels and weights stay absent and every row then weighs one") {
  MemorySource source({.x = four_forms()[0]});
  const Chunk chunk = chunk_of(source, {1, 3});
  CHECK(chunk.labels.empty());
  CHECK(chunk.weights.empty());
  CHECK(chunk.weight(0) == 1);
}

TEST_CASE("a source without a schema numbers its columns") {
  CHECK(MemorySource({.x = four_forms()[0]}).schema() == numbered_schema(3));
}

TEST_CASE("a schema, weights or labels of another size are refused") {
  const std::vector<double> weights{1, 2};
  const std::vector<std::int32_t> labels{0};
  const Matrix x = four_forms()[0];
  CHECK_THROWS_AS(MemorySource({.x = x}, numbered_schema(2)), std::logic_error);
  CHECK_THROWS_AS(MemorySource({.x = x, .weights = weights}), std::logic_error);
  CHECK_THROWS_AS(MemorySource({.x = x, .targets = weights}), std::logic_error);
  CHECK_THROWS_AS(MemorySource({.x = x, .labels = labels}), std::logic_error);
}

TEST_CASE("a reopened source is the same table") {
  MemorySource source({.x = four_forms()[2]}, numbered_schema(3), "table");
  const auto other = source.reopen();
  CHECK(other->name() == "table");
  CHECK(other->schema() == source.schema());
  CHECK(gathered(*other, {3}) == std::vector<double>{4, 5, 6});
}

TEST_CASE("a table lends its values, weights and name") {
  const Table table{numbered_schema(2), {{2, 2}, {1, 2, 3, 4}}, {5, 6}, "file.csv"};
  MemorySource source = table.source();
  CHECK(source.name() == "file.csv");
  CHECK(gathered(source, {1}) == std::vector<double>{3, 4});
  CHECK(chunk_of(source, {1, 2}).weight(0) == 6);
}

}  // namespace craton
