#pragma once
#include <string>
#include <vector>

#include "craton/model/registry.h"

namespace craton::model_file {

// A small model of some kind, fitted in milliseconds.
struct Kind {
  std::string name;  // "mixture family=poisson"
  Fitted fitted;
};

// Every model of the registry as it is, and with every choice of its options, one at a time: every
// family for models that have one by column, every density with its own choices for those that
// take a density; and of texts, if it takes those, with every choice of what is counted in them.
std::vector<Kind> every_kind();

}  // namespace craton::model_file
