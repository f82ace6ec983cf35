#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "craton/tables/preparation.h"
#include "craton/tables/row_groups.h"
#include "craton/tables/view.h"
#include "tests/embedding/allocations.h"
#include "tests/folder.h"

// How often a value is copied on its way from a table to a model, counted: a block that was used
// before is filled with a number that no table has, and used again. What has changed was written.
// As nothing is allocated meanwhile, values were not copied to anywhere else.

using namespace craton;

namespace {

constexpr Index kRows = 600, kCols = 6;

// Twelve digits of each are needed, or two bytes.
std::vector<double> table_of(bool narrow) {
  std::vector<double> values;
  for (Index i = 0; i < kRows * kCols; ++i) {
    const auto v = static_cast<double>(i % kCols == 5 ? i % 2 : 1 + i % 1'000);
    values.push_back(narrow || i % kCols == 5 ? v : std::sqrt(v));
  }
  return values;
}

std::unique_ptr<Source> grouped(const std::vector<double>& values, Index memory,
                                const std::string& folder) {
  auto groups = std::make_unique<RowGroups>(kCols, 0, memory, folder);
  groups->add(0, {.rows = kRows, .lines = kRows}, values);
  groups->finish(1, 0);
  std::vector<GroupColumn> columns;
  for (Index j = 0; j < kCols; ++j) columns.push_back({.from = j});
  return std::make_unique<GroupedSource>(std::move(groups), columns, numbered_schema(kCols), "t");
}

const double kUntouched = std::bit_cast<double>(std::uint64_t{0x7ff8'dead'beef'0001});

Index written(const std::vector<std::byte>& bytes) {
  Index count = 0;
  const auto* const values = reinterpret_cast<const double*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(double); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    count += bits != std::bit_cast<std::uint64_t>(kUntouched) ? 1 : 0;
  }
  return count;
}

// Places for a double that were written to while the rows of a source were decoded.
struct Written {
  Index cells = 0;
  std::int64_t allocations = 0;
};

Written decode_all(Source& source) {
  Block block;
  Chunk chunk;
  const RowRange range{0, source.shape().rows};
  for (int warm = 0; warm < 2; ++warm) {
    source.fetch(range, block);
    source.decode(block, chunk);
  }
  source.fetch(range, block);
  for (std::vector<std::byte>* part : {&block.decoded, &block.chosen}) {
    auto* const values = reinterpret_cast<double*>(part->data());
    std::fill_n(values, part->size() / sizeof(double), kUntouched);
  }
  const std::int64_t before = allocations();
  source.decode(block, chunk);
  return {written(block.decoded) + written(block.chosen), allocations() - before};
}

constexpr PreparationOptions kStandard{.scale = PreparationOptions::Scale::kStandard};

}  // namespace

TEST_CASE("a value is decoded once and copied at most once, whatever is chosen and prepared") {
  const Folder folder;
  const std::vector<double> wide = table_of(false), narrow = table_of(true);
  const std::vector<float> floats(narrow.begin(), narrow.end());
  constexpr Index kMemory = Index{1} << 30;
  std::vector<std::unique_ptr<Source>> tables;
  tables.push_back(
      std::make_unique<MemorySource>(Memory{.x = Dense<double>{wide.data(), kRows, kCols, kCols}}));
  tables.push_back(std::make_unique<MemorySource>(
      Memory{.x = Dense<float>{floats.data(), kRows, kCols, kCols}}));
  for (const auto& values : {wide, narrow}) {
    for (const Index memory : {kMemory, Index{0}}) {
      tables.push_back(grouped(values, memory, folder / ""));
    }
  }
  const Selection all{.columns = {{0}, {1}, {2}, {3}, {4}, {5}}};
  const Selection front{.columns = {{0}, {1}, {2}}};
  const Selection roles{.columns = {{4}, {0}, {1}}, .weights = 2, .targets = 3};
  const Selection coded{.columns = {{1}, {5, {1, 0}, {"b", "a"}}}};
  Index checked = 0, lent = 0;
  for (const auto& table : tables) {
    const Index decoded = decode_all(*table).cells;
    for (const Selection& selection : {all, front, roles, coded}) {
      for (const bool some : {false, true}) {
        for (const bool labels : {false, true}) {
          for (const bool prepared : {false, true}) {
            View below(*table);
            if (labels) below.label(find_classes(*table, 5, {}));
            if (some) below.rows(RowSet::where(kRows, [](Index row) { return row % 3 != 1; }));
            View view(below.select(selection));  // as a fold of rows that were chosen before
            if (some) view.rows(RowSet::where(400, [](Index row) { return row % 4 != 0; }));
            const Preparation standard = Preparation::learn(view, kStandard, {});
            View rows(view);
            if (prepared) rows.prepare(standard);
            const Written w = decode_all(rows);
            CHECK(w.allocations == 0);
            CHECK(w.cells - decoded <= view.shape().rows * view.shape().cols);
            lent += w.cells == decoded ? 1 : 0;
            ++checked;
          }
        }
      }
    }
  }
  CHECK(checked == 6 * 4 * 2 * 2 * 2);
  CHECK(lent >= 30);  // not even once: all columns, or some side by side, of all rows
}

TEST_CASE("a copy more is seen") {
  const std::vector<double> wide = table_of(false);
  MemorySource table({.x = Dense<double>{wide.data(), kRows, kCols, kCols}});
  View shuffled(table);
  shuffled.select({.columns = {{1}, {0}}});
  const Preparation standard = Preparation::learn(shuffled, kStandard, {});
  const std::unique_ptr<Source> between = standard.over(shuffled);  // no view looks through it
  View again(*between);
  again.select({.columns = {{1}, {0}}});
  CHECK(decode_all(again).cells == 2 * decode_all(shuffled).cells);
}
