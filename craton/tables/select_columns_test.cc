#include "craton/tables/select_columns.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

namespace craton {
namespace {

const std::vector<double> kValues{1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<float> kFloats(kValues.begin(), kValues.end());
const std::vector<Index> kOffsets{0, 3, 6, 9};
const std::vector<std::int32_t> kColumns{0, 1, 2, 0, 1, 2, 0, 1, 2};

std::vector<Matrix> all_forms() {
  return {Dense<double>{kValues.data(), 3, 3, 3}, Dense<float>{kFloats.data(), 3, 3, 3},
          Sparse<double>{kOffsets.data(), kColumns.data(), kValues.data(), 3, 3},
          Sparse<float>{kOffsets.data(), kColumns.data(), kFloats.data(), 3, 3}};
}

TEST_CASE("columns are taken by index in any order, and one as weights") {
  for (const Matrix& x : all_forms()) {
    MemorySource all({.x = x});
    SelectedSource source(all, {.columns = {{2}, {0}, {2}}, .weights = 1});
    CHECK(source.shape().cols == 3);
    CHECK(source.schema().names() == std::vector<std::string>{"3", "1", "3"});
    Block block;
    Chunk chunk;
    source.fetch({1, 3}, block);
    source.decode(block, chunk);
    const auto& view = std::get<Dense<double>>(chunk.x);
    CHECK(std::vector(view.data, view.data + 6) == std::vector<double>{6, 4, 6, 9, 7, 9});
    CHECK(std::vector(chunk.weights.begin(), chunk.weights.end()) == std::vector<double>{5, 8});
    CHECK(chunk.first_row == 1);
    std::vector<double> rows(3);
    source.reopen()->gather(std::vector<Index>{2}, rows);
    CHECK(rows == std::vector<double>{9, 7, 9});
  }
}

TEST_CASE("a selection of a selection decodes in place") {
  MemorySource all({.x = all_forms()[0]});
  SelectedSource source(
      std::make_unique<SelectedSource>(all, Selection{.columns = {{2}, {1}}, .targets = 0}),
      {.columns = {{1}}});
  Block block;
  Chunk chunk;
  for (int pass = 0; pass < 2; ++pass) {  // the block is reused
    source.fetch({0, 3}, block);
    source.decode(block, chunk);
    const auto& view = std::get<Dense<double>>(chunk.x);
    CHECK(std::vector(view.data, view.data + 3) == std::vector<double>{2, 5, 8});
    CHECK(chunk.weights.empty());
    CHECK(std::vector(chunk.targets.begin(), chunk.targets.end()) == std::vector<double>{1, 4, 7});
  }
}

TEST_CASE("all columns in their order are not copied") {
  MemorySource all({.x = all_forms()[0]});
  SelectedSource source(all, {.columns = {{0}, {1}, {2}}});
  Block block;
  Chunk chunk;
  source.fetch({0, 3}, block);
  source.decode(block, chunk);
  CHECK(std::get<Dense<double>>(chunk.x).data == kValues.data());
}

TEST_CASE("codes of a category become others") {
  const std::vector<double> codes{0, 1, NAN, 1};
  MemorySource all({.x = Dense<double>{codes.data(), 4, 1, 1}},
                   {{{"colour", ColumnKind::kCategory, {"blue", "red"}}}});
  SelectedSource source(all, {.columns = {{0, {NAN, 3}, {"a", "b", "c", "red"}}}});
  CHECK(source.schema().columns[0].levels.back() == "red");
  const Array out = read_all(source);
  CHECK(std::isnan(out.values[0]));
  CHECK(out.values[1] == 3);
  CHECK(std::isnan(out.values[2]));
  std::vector<double> row(1);
  source.gather(std::vector<Index>{3}, row);
  CHECK(row[0] == 3);
}

TEST_CASE("columns that the source lacks are refused") {
  MemorySource all({.x = all_forms()[0]});
  CHECK_THROWS_AS(SelectedSource(all, {.columns = {{3}}}), std::logic_error);
  CHECK_THROWS_AS(SelectedSource(all, {.columns = {{0}}, .weights = 3}), std::logic_error);
}

}  // namespace
}  // namespace craton
