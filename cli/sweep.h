#pragma once
#include "cli/command.h"
#include "craton/model/registry.h"

namespace craton::cli {

// One of the models to compare.
struct Setting {
  std::string_view swept;  // n_components, n_clusters, or of classes that are given, pooling
  double value = 1;
  std::string kind;                                          // a covariance type, or a family
  std::vector<std::pair<std::string, std::string>> options;  // as typed, and these two

  std::string name() const;
};

// What is compared beside that: "covariance_type", "family" or nothing.
std::string kind_option(const ModelInfo& model);

bool has_option(const ModelInfo& model, std::string_view name);

// Whether what is chosen is a number of clusters, which have no likelihood.
bool sweeps_clusters(const ModelInfo& model);

// Every kind with every number of components, from "1..8" and "full,diag" as typed; 1..8 and the
// default when not given. Kinds come first, then numbers ascending. Families that name columns,
// "age=gamma,hours=poisson", are parted by semicolons. Unless n_init is given, it is 5: a single
// poor start would spoil the comparison. Of given classes, every covariance type with every
// pooling, "0,1" when not given: a covariance of each class's own, and one for all.
std::vector<Setting> sweep(const Command& command);

// The options of a model as `craton select` takes them: lists, and no arrays, since a given start
// fits one n_components only.
std::vector<Option> sweep_options(const ModelInfo& model);

// Does the model have a number of clusters to choose, or a likelihood, and a number of components
// or a pooling to choose by it?
bool can_sweep(const ModelInfo& model);
void check_can_sweep(const ModelInfo& model, std::string_view example);  // else InputError

}  // namespace craton::cli
