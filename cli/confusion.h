#pragma once
#include <optional>

#include "cli/data.h"
#include "craton/base/json.h"
#include "craton/select/class_metrics.h"

// Which classes a model takes for which.

namespace craton::cli {

struct Confusion {
  std::vector<std::string> labels;
  Array matrix;              // true label x predicted, by weight; empty: too many classes
  std::vector<double> rows;  // of each true label, by weight
  ClassScores scores;        // NaN where they are not defined
  bool weighted = false;
};

// None when the data have no labels, or the model does not learn from them.
std::optional<Confusion> find_confusion(const Fitted& fitted, const Data& data, const Exec& exec);

std::string to_text(const Confusion& confusion);
void add_to_json(const Confusion& confusion, Json& json);

}  // namespace craton::cli
