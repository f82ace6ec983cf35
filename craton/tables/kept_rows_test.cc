#include "craton/tables/kept_rows.h"

#include <doctest/doctest.h>

#include "craton/tables/select_rows.h"

namespace craton {
namespace {

TEST_CASE("rows that are kept are the rows of the table, with their labels, targets and weights") {
  constexpr Index kRows = 9'001, kCols = 2;
  std::vector<float> x;
  std::vector<std::int32_t> labels;
  std::vector<double> targets, weights;
  for (Index i = 0; i < kRows; ++i) {
    x.insert(x.end(), {static_cast<float>(i), static_cast<float>(-i)});
    labels.push_back(static_cast<std::int32_t>(i % 5));
    targets.push_back(static_cast<double>(2 * i));
    weights.push_back(static_cast<double>(i % 3));
  }
  MemorySource table({.x = Dense<float>{x.data(), kRows, kCols, kCols},
                      .labels = labels,
                      .targets = targets,
                      .weights = weights});
  const RowSet odd = RowSet::where(kRows, [](Index row) { return row % 2 == 1; });
  SelectedRows some(table, odd);
  for (const int threads : {1, 2, 7}) {
    KeptRows kept(some, {.threads = threads});
    CHECK(kept.in_memory());
    CHECK(kept.row_in_file(3) == 7);
    CHECK(read_all(kept).values == read_all(some).values);
    Block block;
    Chunk chunk;
    kept.fetch({4'400, 4'500}, block);
    kept.decode(block, chunk);
    CHECK(chunk.first_row == 4'400);
    CHECK(chunk.labels[1] == 8'803 % 5);
    CHECK(chunk.targets[1] == 2 * 8'803);
    CHECK(chunk.weights[1] == 8'803 % 3);
    std::vector<double> one(2);
    kept.gather(std::vector<Index>{4'401}, one);
    CHECK(one == std::vector<double>{8'803, -8'803});
  }
}

TEST_CASE("sparse rows and no rows are not kept") {
  const std::vector<Index> offsets{0, 1, 2};
  const std::vector<std::int32_t> columns{1, 0};
  const std::vector<double> values{3, 4};
  MemorySource sparse({.x = Sparse<double>{offsets.data(), columns.data(), values.data(), 2, 2}});
  KeptRows rows(sparse, {});
  CHECK_FALSE(rows.in_memory());
  CHECK(has_sparse_rows(rows));
  CHECK(read_all(rows).values == std::vector<double>{0, 3, 4, 0});
  MemorySource none({.x = Dense<double>{values.data(), 0, 2, 2}});
  KeptRows nothing(none, {});
  CHECK(nothing.shape().rows == 0);
  CHECK(read_all(nothing).values.empty());
}

}  // namespace
}  // namespace craton
