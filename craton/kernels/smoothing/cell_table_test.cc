#include "craton/kernels/smoothing/cell_table.h"

#include <doctest/doctest.h>

#include <map>

#include "craton/base/random.h"

using namespace craton;

TEST_CASE("a table of cells finds those that were added, and no others") {
  CellTable table;
  std::map<CellKey, std::int32_t> known;
  Random random(1, Purpose::kTest, 12);
  for (int i = 0; i < 5000; ++i) {
    const Index range = i % 2 == 0 ? 20 : Index{1} << 42;
    const CellKey key{random.below(range) - range / 2, random.below(range) - range / 2,
                      i % 3 == 0 ? 0 : random.below(3)};
    const auto found = known.find(key);
    CHECK(table.find(key) == (found == known.end() ? -1 : found->second));
    const auto number = static_cast<std::int32_t>(known.size());
    known.emplace(key, number);
    CHECK(table.add(key) == known[key]);
  }
  CHECK(table.size() == std::ssize(known));
  for (const auto& [key, number] : known) {
    CHECK(table.keys()[static_cast<std::size_t>(number)] == key);
  }
}
