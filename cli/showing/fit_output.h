#pragma once
#include "cli/parsing/data.h"

// What verbs that make a model do with it: fit, learn and merge.

namespace craton::cli {

// The notes of the report, as warnings.
void complain_of(const Fitted& fitted, const Command& command);

// Writes the model file, when one is asked for, with how its columns are written.
void keep(const Command& command, Fitted& fitted, std::span<const ColumnForm> forms);

// What was read (when it was), what was learned and where it is, for people or as JSON; nothing
// when a file went to stdout, or with --quiet, unless as JSON.
void tell(const Command& command, const Fitted& fitted, const Data* data);

}  // namespace craton::cli
