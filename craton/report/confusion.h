#pragma once
#include <optional>

#include "craton/model/registry.h"
#include "craton/select/class_metrics.h"

// Which classes a model takes for which.

namespace craton {

struct Confusion {
  std::vector<std::string> labels;
  Array matrix;              // true label x predicted, by weight; empty: too many classes
  std::vector<double> rows;  // of each true label, by weight
  ClassScores scores;        // NaN where they are not defined
  bool weighted = false;
};

// Of labels of the target; label -1: none.
Confusion find_confusion(const LabelPairs& rows, const Schema& schema);

// None when the rows have no labels, or the model does not learn from them.
std::optional<Confusion> find_confusion(const Fitted& fitted, Source& x, const Exec& exec);

// The matrix, if it is small enough to be read, and the scores of each label.
std::vector<SummaryTable> confusion_tables(const Confusion& confusion);

}  // namespace craton
