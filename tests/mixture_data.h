#pragma once
#include <string>
#include <utility>
#include <vector>

#include "craton/classes/product/mixture.h"

// Planted mixtures that the tests of products of families share.

namespace craton::mixture_tests {

// A column: its family, and its parameters in each component.
struct Planted {
  std::string family;
  std::vector<Parameters> parameters;
};

inline ClassProduct planted(std::vector<double> weights, const std::vector<Planted>& columns) {
  std::vector<Feature> features;
  std::vector<Parameters> parameters;
  for (const Planted& column : columns) {
    Feature feature{.column = ssize(features), .family = &get_family(column.family)};
    if (column.family == "categorical") feature.levels = ssize(column.parameters[0]);
    features.push_back(feature);
    parameters.insert(parameters.end(), column.parameters.begin(), column.parameters.end());
  }
  for (double& w : weights) w = std::log(w);
  const Index k = ssize(weights);
  return ClassProduct({{k}, std::move(weights)}, std::move(features), std::move(parameters));
}

// The families as a user would type them: "1=gaussian,2=poisson".
inline std::string families_of(const ClassProduct& product) {
  std::string text;
  for (const Feature& f : product.features()) {
    text += (text.empty() ? "" : ",") + std::to_string(f.column + 1) + "=" +
            std::string(f.family->name());
  }
  return text;
}

// Rows with labels, all of them, some or none.
struct Rows {
  Array x;
  std::vector<std::int32_t> truth, labels;
  std::vector<double> weights = {};
  Index classes = 0;

  MemorySource source() const {
    Schema schema = numbered_schema(x.cols());
    if (!labels.empty()) {
      schema.target = Column{"kind", ColumnKind::kCategory, {}};
      for (Index c = 0; c < classes; ++c) schema.target->levels.push_back("k" + std::to_string(c));
    }
    return MemorySource({.x = x.view(), .labels = labels, .weights = weights}, schema);
  }
};

inline Rows draw(const ClassProduct& product, Index rows, std::uint64_t seed, Index labelled = 0) {
  Sample sample = product.sample(rows, seed);
  Rows result{std::move(sample.x), std::move(sample.labels), {}, {}, product.classes()};
  if (labelled == 0) return result;
  result.labels.assign(usize(rows), -1);
  for (Index i = 0; i < labelled; ++i) result.labels[usize(i)] = result.truth[usize(i)];
  return result;
}

}  // namespace craton::mixture_tests
