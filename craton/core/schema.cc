#include "craton/core/schema.h"

namespace craton {

std::vector<std::string> Schema::names() const {
  std::vector<std::string> result;
  for (const Column& column : columns) result.push_back(column.name);
  return result;
}

Index Schema::find(std::string_view name) const {
  for (Index j = 0; j < size(); ++j) {
    if (columns[usize(j)].name == name) return j;
  }
  return -1;
}

std::string label_name(const Schema& schema, Index label) {
  const bool named = schema.target && label < ssize(schema.target->levels);
  return named ? schema.target->levels[usize(label)] : std::to_string(label);
}

Schema numbered_schema(Index columns) {
  Schema schema;
  for (Index j = 1; j <= columns; ++j) schema.columns.emplace_back().name = std::to_string(j);
  return schema;
}

}  // namespace craton
