#pragma once
#include "cli/command.h"
#include "craton/core/registry.h"
#include "craton/core/source.h"

// Data and model files, as a command names them.

namespace craton::cli {

// The columns to fit on: --features, or all but --drop and --weights. Notes go to stderr. Names
// that are used, or kept in the model, are different from each other. Rows with missing values are
// refused or left out, as --missing says.
Table read_to_fit(const Command& command);

// The columns a model was fitted on, in its order: by name when both sides have names, otherwise
// by position, with a note. Other columns are left out, with a note.
struct NewRows {
  Table table;
  std::vector<Index> rows = {};  // with --missing skip: the numbers of those kept, from 0
};
NewRows read_for_model(const Command& command, const Schema& schema);

// The model of a file.
Fitted read_model(const Command& command);

// The options of a model, from the words typed: numbers, choices, and files for arrays.
std::vector<NamedOption> read_options(const ModelInfo& info, const Command& command);

double total_weight(const Table& table);

// "a.csv: 272 rows, 2 columns (eruptions, waiting)"
std::string describe(const Table& table);

}  // namespace craton::cli
