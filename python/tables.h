#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "craton/base/source.h"
#include "craton/model/registry.h"
#include "python/rows.h"

// Tables of Python as a Source: rows, weights and labels are borrowed.

namespace craton {

using Weights = std::optional<nb::ndarray<const double, nb::ndim<1>, nb::c_contig>>;
using Codes = std::optional<nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig>>;
using Names = std::optional<std::vector<std::string>>;
// The levels of columns of categories; none: numbers.
using Levels = std::optional<std::vector<std::optional<std::vector<std::string>>>>;
using Targets = Weights;  // that are numbers
// What labels stand for: (name, whether the levels are numbers, levels); of targets that are
// numbers (name, true, none).
using Target = std::optional<std::tuple<std::string, bool, std::vector<std::string>>>;

inline MemorySource source_of(const Rows& x, const Weights& weights, const Schema& schema,
                              const Codes& labels = {}, const Targets& numbers = {}) {
  Memory memory{.x = x.matrix()};
  if (labels) {
    if (static_cast<Index>(labels->shape(0)) != x.size()) {
      throw nb::value_error("one label for each row");
    }
    memory.labels = {labels->data(), labels->shape(0)};
  }
  if (numbers) {
    if (static_cast<Index>(numbers->shape(0)) != x.size()) {
      throw nb::value_error("one target for each row");
    }
    memory.targets = {numbers->data(), numbers->shape(0)};
  }
  if (weights) {
    if (static_cast<Index>(weights->shape(0)) != x.size()) {
      throw nb::value_error("one weight for each row");
    }
    memory.weights = {weights->data(), weights->shape(0)};
  }
  const Index cols = shape_of(memory.x).cols;
  Schema used{.columns = {}, .target = schema.target, .unnamed = cols};
  if (schema.size() == cols) used.columns = schema.columns;
  if (x.texts() != nullptr) {
    memory.texts = {x.texts()->view()};
    used.texts = {{x.texts()->name(), ColumnKind::kText}};
  }
  return MemorySource(memory, std::move(used));
}

inline Schema schema_of(const Names& names, const Levels& levels) {
  Schema schema = numbered_schema(levels && !names ? std::ssize(*levels) : 0);
  if (names) {
    for (const std::string& name : *names) schema.columns.push_back({.name = name, .levels = {}});
  }
  for (std::size_t j = 0; levels && j < schema.columns.size(); ++j) {
    if (!levels->at(j)) continue;
    schema.columns[j].kind = ColumnKind::kCategory;
    schema.columns[j].levels = *levels->at(j);
  }
  return schema;
}

inline Schema schema_to_fit(const ModelInfo& model, const Rows& x, const Names& names,
                            const Levels& levels, const Target& target) {
  Schema schema = schema_of(names, levels);
  const bool asks = model.abilities.categories && !model.abilities.terms;  // what each column is
  if (asks && schema.size() == 0 && x.texts() == nullptr) {
    schema = numbered_schema(shape_of(x.matrix()).cols);
  }
  if (target) {
    const auto& [column, number, labels] = *target;
    schema.target = Column{column, number ? ColumnKind::kNumber : ColumnKind::kCategory, labels};
  }
  return schema;
}

}  // namespace craton
