#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "craton/model/registry.h"

// Where to look for good options of a model.

namespace craton {

// Values of one option: some, or all in a range.
struct Axis {
  std::string option;
  std::vector<OptionValue> values = {};
  bool range = false, logarithmic = false, whole = false;
  double low = 0, high = 0;
};

// "alpha=0.1,1,10", "n_components=1..8" (each whole number), "covariance_type=full,diag", and
// ranges of numbers to draw from: "alpha=0.01..10", or "alpha=0.01..10:log" evenly by logarithm.
// Values with commas in them are parted by semicolons. InputError (kUnknownName, kBadOption) for an
// option the model has not, and for values that it does not take.
Axis parse_axis(const ModelInfo& model, const std::string& text);

// The values given. InputErrors as above.
Axis make_axis(const ModelInfo& model, const std::string& option, std::vector<OptionValue> values);

inline constexpr Index kMostCandidates = 10000;

// Every combination, the last axis fastest. Ranges of whole numbers are all of them; InputError
// (kBadOption) for ranges of other numbers, for two axes of one option, and above kMostCandidates.
std::vector<std::vector<NamedOption>> grid(std::span<const Axis> axes);

// `count` combinations drawn from the axes, each by (seed, number).
std::vector<std::vector<NamedOption>> random_search(std::span<const Axis> axes, Index count,
                                                    std::uint64_t seed);

}  // namespace craton
