#pragma once
#include "cli/parsing/data.h"
#include "cli/showing/kept_columns.h"
#include "craton/base/json.h"

// What `craton predict --explain N` says: the label of each row, its probability, the runner-up,
// and the N features at most that speak for the label against it, by log-odds.

namespace craton::cli {

// Some rows of the data, of which `first` is the first.
std::string explained_csv(Index features, const KeptColumns& keep, const Fitted& fitted,
                          Source& rows, Index first, const Exec& exec);
Json explained_json(Index features, const Data& data, const KeptColumns& keep, const Fitted& fitted,
                    const Exec& exec);

}  // namespace craton::cli
