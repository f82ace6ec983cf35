#pragma once
#include "craton/model/registry.h"

namespace craton {

// The parameters of a model that pictures show, in the units of the rows as they were given: means,
// centres and covariances of scaled columns are scaled back. Rows at length 1 have none such.
std::vector<Parameter> drawn_parameters(const AnyModel& model);

}  // namespace craton
