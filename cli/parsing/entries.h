#pragma once
#include "cli/parsing/command.h"
#include "craton/select/comparison.h"

// What is measured: points of a grid, or several models.

namespace craton::cli {

struct Entry {
  std::string name;  // "alpha = 0.1", or a model as typed
  Trial trial;
  std::vector<std::string> point = {};  // the values that --grid varies, in its order
};

// One model with the options typed, or with each point of --grid as well.
std::vector<Entry> grid_entries(const Command& command, const ModelInfo& model);
std::vector<std::string> grid_options(const Command& command, const ModelInfo& model);

// "nb" or "nb:alpha=0.1,fit_prior=false", each.
std::vector<Contestant> contestants_of(const Command& command);

struct Measured {
  std::vector<Entry> entries = {};
  std::vector<Results> results = {};  // of each
  Results guessing = {};              // empty: nothing can be guessed
  Verdict verdict = {};
};

}  // namespace craton::cli
