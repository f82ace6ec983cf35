#include "craton/base/schema.h"

namespace craton {

std::string Schema::name(Index column) const {
  return columns.empty() ? std::to_string(column + 1) : columns[usize(column)].name;
}

Column Schema::column(Index j) const {
  return columns.empty() ? Column{name(j)} : columns[usize(j)];
}

std::vector<std::string> Schema::names() const {
  std::vector<std::string> result;
  for (Index j = 0; j < size(); ++j) result.push_back(name(j));
  return result;
}

Index Schema::find(std::string_view name) const {
  for (Index j = 0; j < size(); ++j) {
    if (this->name(j) == name) return j;
  }
  return -1;
}

Index Schema::find_text(std::string_view name) const {
  for (Index j = 0; j < ssize(texts); ++j) {
    if (texts[usize(j)].name == name) return j;
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
