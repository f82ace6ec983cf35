#pragma once
#include "cli/command.h"
#include "craton/core/registry.h"

namespace craton::cli {

// One of the models to compare.
struct Setting {
  Index n_components = 1;
  std::string covariance_type;
  std::vector<std::pair<std::string, std::string>> options;  // as typed, and these two

  std::string name() const { return std::to_string(n_components) + " " + covariance_type; }
};

// Every covariance type with every number of components, from "1..8" and "full,diag" as typed; 1..8
// and full when not given. Types come first, then numbers ascending. Unless n_init is given, it is
// 5: a single poor start would spoil the comparison.
std::vector<Setting> sweep(const Command& command);

// The options of a model as `craton select` takes them: lists, and no arrays, since a given start
// fits one n_components only.
std::vector<Option> sweep_options(const ModelInfo& model);

// Does the model have a likelihood, and a number of components to choose by it?
bool can_sweep(const ModelInfo& model);
void check_can_sweep(const ModelInfo& model, std::string_view example);  // else InputError

}  // namespace craton::cli
