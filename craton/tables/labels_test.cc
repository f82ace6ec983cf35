#include "craton/tables/labels.h"

#include <doctest/doctest.h>

#include <cmath>

#include "craton/tables/view.h"
#include "tests/refused.h"

namespace craton {
namespace {

std::vector<std::int32_t> labels_of(Source& source, RowRange range) {
  Block block;
  Chunk chunk;
  source.fetch(range, block);
  source.decode(block, chunk);
  return {chunk.labels.begin(), chunk.labels.end()};
}

using Labels = std::vector<std::int32_t>;
const Array kTable{{5, 2}, {1, 3, 2, -1, 3, 3, 4, NAN, 5, 0.5}};
const std::vector<Column> kNumbers{{"x"}, {"y"}};

TEST_CASE("the numbers of a column are classes in ascending order, and a missing one is no label") {
  MemorySource table({.x = kTable.view()}, {kNumbers}, "t.csv");
  const Classes classes = find_classes(table, 1, {});
  CHECK(classes.column.name == "y");
  CHECK(classes.column.levels == std::vector<std::string>{"-1", "0.5", "3"});
  View labelled(table);
  labelled.label(classes);
  CHECK(labelled.schema().target->levels == classes.column.levels);
  CHECK(labels_of(labelled, {0, 5}) == Labels{2, 0, 2, -1, 1});
  CHECK(labels_of(*labelled.reopen(), {3, 5}) == Labels{-1, 1});
  View features(labelled);
  features.select({.columns = {{.from = 0}}});
  CHECK(features.schema().target->name == "y");
  CHECK(labels_of(features, {1, 5}) == Labels{0, 2, -1, 1});
}

TEST_CASE("the levels of a category that occur are classes, in their order") {
  Schema schema{{{"x"}, {"y", ColumnKind::kCategory, {"ant", "bee", "cow", "dog"}}}};
  const Array x{{3, 2}, {1, 3, 2, 1, 3, NAN}};
  MemorySource table({.x = x.view()}, schema);
  View labelled(table);
  labelled.label(find_classes(table, 1, {}));
  CHECK(labelled.schema().target->levels == std::vector<std::string>{"bee", "dog"});
  CHECK(labels_of(labelled, {0, 3}) == Labels{1, 0, -1});
}

TEST_CASE("labels of sparse rows come from a column or from the targets") {
  const std::vector<Index> offsets{0, 1, 1, 3};
  const std::vector<std::int32_t> columns{1, 0, 1};
  const std::vector<double> values{2, 5, 7}, targets{1, -1, 1};
  const Sparse<double> x{offsets.data(), columns.data(), values.data(), 3, 2};
  MemorySource table({.x = x, .targets = targets});
  View by_column(table), by_target(table);
  by_column.label(find_classes(table, 1, {}));
  CHECK(by_column.schema().target->levels == std::vector<std::string>{"0", "2", "7"});
  CHECK(labels_of(by_column, {0, 3}) == Labels{1, 0, 2});
  by_target.label(find_classes(table, kTargets, {}));
  CHECK(labels_of(by_target, {0, 3}) == Labels{1, 0, 1});
}

TEST_CASE("new data are labelled by the names that the model knows, in any form") {
  MemorySource numbers({.x = kTable.view()}, {kNumbers}, "t.csv");
  const Column model{"class", ColumnKind::kCategory, {"3", "other", "0.5", "-1"}};
  View labelled(numbers);
  labelled.label(bind_classes(model, numbers, 1, {}));
  CHECK(labels_of(labelled, {0, 5}) == Labels{0, 3, 0, -1, 2});
  const Column fewer{"class", ColumnKind::kNumber, {"3", "0.5"}};
  check_refused([&] { bind_classes(fewer, numbers, 1, {}); }, Code::kBadTarget, -1,
                "the label '-1' is none that the model knows");
}

TEST_CASE("a target without labels, or with too many, is refused by name") {
  const Array missing{{2, 1}, {NAN, NAN}};
  MemorySource nothing({.x = missing.view()}, {{{"y"}}}, "t.csv");
  check_refused([&] { find_classes(nothing, 0, {}); }, Code::kBadTarget, -1, "column 'y'");
  Array many{{kMostClasses + 1, 1}, std::vector<double>(usize(kMostClasses + 1))};
  for (std::size_t i = 0; i < many.values.size(); ++i) many.values[i] = static_cast<double>(i);
  MemorySource quantity({.x = many.view()}, {{{"y"}}}, "t.csv");
  check_refused([&] { find_classes(quantity, 0, {.threads = 3}); }, Code::kBadTarget, -1,
                "more than 10000 different values");
}

}  // namespace
}  // namespace craton
