#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/random.h"
#include "craton/base/source.h"

namespace craton {

// Two classes of rows, two columns, and some weights.
struct Labelled {
  explicit Labelled(Index rows) {
    Random random(3, Purpose::kTest);
    for (Index i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int32_t>(i % 2));
      weights.push_back(static_cast<double>(1 + i % 3));
      for (Index j = 0; j < 2; ++j) {
        x.values.push_back(random.normal() + 1.5 * static_cast<double>(i % 2));
      }
    }
    x.shape = {rows, 2};
    schema.columns = {{"a"}, {"b"}};
    schema.target = Column{"kind", ColumnKind::kCategory, {"no", "yes"}};
  }
  MemorySource source() const {
    return MemorySource({.x = x.view(), .labels = labels, .weights = weights}, schema, "rows");
  }
  Array x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights;
  Schema schema;
};

}  // namespace craton
