#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "craton/model/registry.h"

// The settings of a model that are worth comparing when it is to be chosen: a number of components
// or clusters, or of classes that are given how far their covariances are pooled; and what kind of
// components.

namespace craton {

// One of the models to compare.
struct Setting {
  std::string_view swept;  // swept_option()
  double value = 1;        // of it
  std::string kind = {};   // a covariance type, or a family; "": the model has no such choice
  std::vector<NamedOption> options = {};  // these two, and those that all settings share

  std::string name() const;  // "4 full"
};

// What to try. Where there are no values, the usual ones: 1..8 components, 2..10 clusters, a
// covariance of each class's own and one for all; where there are no kinds, the model's default.
// Unless n_init is among the options it is 5: a single poor start would spoil the comparison.
struct Sweep {
  std::vector<double> values = {};
  std::vector<std::string> kinds = {};
  std::vector<NamedOption> options = {};
};

std::string_view swept_option(const ModelInfo& model);  // "n_components", "n_clusters", "pooling"
std::string kind_option(const ModelInfo& model);        // "covariance_type", "family" or ""
std::string usual_values(const ModelInfo& model);       // as typed: "1..8"
inline constexpr Index kSweepStarts = 5;                // n_init, if it is not given

bool has_option(const ModelInfo& model, std::string_view name);

// Whether what is chosen is a number of clusters, which have no likelihood.
bool sweeps_clusters(const ModelInfo& model);

// Does the model have a number of clusters to choose, or a likelihood, and a number of components
// or a pooling to choose by it?
bool can_sweep(const ModelInfo& model);
void check_can_sweep(const ModelInfo& model, const std::string& fix);  // else InputError (kNotAble)

// "1..8", "2,3,5" and "0,0.5,1", as typed; InputError (kBadOption) for what is no such list.
std::vector<double> parse_swept(const ModelInfo& model, const std::string& text);
// "full,diag". Families that name columns, "age=gamma,hours=poisson", are parted by semicolons.
std::vector<std::string> parse_kinds(const std::string& text);

// Every kind with every value: kinds in the order given, numbers of components or clusters
// ascending. InputError (kBadOption) for a number of them that is not whole, below 1, or above 1000
// settings; (kNotAble) for a model that has nothing to choose.
std::vector<Setting> settings_of(const ModelInfo& model, const Sweep& sweep);

}  // namespace craton
