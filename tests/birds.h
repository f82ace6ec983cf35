#pragma once
#include <cmath>
#include <vector>

#include "craton/base/random.h"
#include "craton/base/source.h"

namespace craton::tests {

// Rows of two kinds, by columns of noise, numbers, counts and words: what pictures are tried on.
struct Birds {
  explicit Birds(std::size_t rows = 200) {
    table.schema.columns = {{"noise"},
                            {"length"},
                            {"eggs"},
                            {"place", ColumnKind::kCategory, {"cliff", "shore", "wood"}}};
    table.schema.target = Column{"kind", ColumnKind::kCategory, {"auk", "tern"}};
    for (std::size_t i = 0; i < rows; ++i) {
      Random random(4, Purpose::kTest, 0, i);
      const int kind = static_cast<int>(i % 2);
      labels.push_back(kind);
      const double eggs = std::floor(std::abs(random.normal()) * (1 + 2 * kind));
      const double place = i % 7 < 5 ? kind : 2;
      for (const double v : {random.normal(), random.normal() + 3 * kind, eggs, place})
        table.x.values.push_back(v);
      weight.push_back(3 * kind + 2 * table.x.values[4 * i + 1] + random.normal());
    }
    table.x.shape = {static_cast<Index>(rows), 4};
  }

  // Some of the columns, with the kind of each row, its weight, or neither.
  Table some(const std::vector<Index>& columns) const {
    Table chosen{.schema = {},
                 .x = Array{{table.x.rows(), static_cast<Index>(columns.size())}, {}}};
    for (const Index j : columns) chosen.schema.columns.push_back(table.schema.columns[usize(j)]);
    for (Index i = 0; i < table.x.rows(); ++i) {
      for (const Index j : columns) chosen.x.values.push_back(table.x.view().row(i)[j]);
    }
    return chosen;
  }
  MemorySource labelled(Table& of) const {
    of.schema.target = table.schema.target;
    return MemorySource({.x = of.x.view(), .labels = labels}, of.schema, "birds.csv");
  }
  MemorySource numbered(Table& of) const {
    of.schema.target = Column{"weight", ColumnKind::kNumber};
    return MemorySource({.x = of.x.view(), .targets = weight}, of.schema, "birds.csv");
  }
  static MemorySource plain(const Table& of) {
    return MemorySource({.x = of.x.view()}, of.schema, "birds.csv");
  }

  Table table = {};
  std::vector<std::int32_t> labels = {};
  std::vector<double> weight = {};
};

}  // namespace craton::tests
