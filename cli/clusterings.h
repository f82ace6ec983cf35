#pragma once
#include "cli/command.h"

namespace craton::cli {

// `craton select` of a model that has clusters and no likelihood: the number of them.
int select_clusters(const Command& command);

}  // namespace craton::cli
