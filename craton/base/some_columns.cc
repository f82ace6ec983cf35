#include "craton/base/some_columns.h"

#include <algorithm>

namespace craton {

Schema schema_of(const Schema& schema, std::span<const Index> columns) {
  Schema some;
  if (schema.columns.empty()) {
    some.unnamed = ssize(columns);
    return some;
  }
  for (const Index j : columns) some.columns.push_back(schema.columns[usize(j)]);
  return some;
}

std::vector<Index> others_than(std::span<const Index> columns, Index count) {
  std::vector<Index> others;
  for (Index j = 0; j < count; ++j) {
    if (std::ranges::find(columns, j) == columns.end()) others.push_back(j);
  }
  return others;
}

}  // namespace craton
