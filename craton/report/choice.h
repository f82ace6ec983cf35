#pragma once
#include "craton/base/report.h"
#include "craton/draw/curve.h"
#include "craton/select/model_choice.h"

// A choice of a model, for people.

namespace craton {

// A line for each setting, the best marked.
SummaryTable choice_table(const ModelChoice& choice);

// All figures: of each column, a value for each setting. For programs.
struct ChoiceColumn {
  std::string name;
  std::vector<OptionValue> values;
};
std::vector<ChoiceColumn> choice_columns(const ModelChoice& choice);

// The criterion over the number that was chosen: one line for each kind, in the order they were
// asked for.
Curve choice_curve(const ModelChoice& choice, const Source& x);

}  // namespace craton
