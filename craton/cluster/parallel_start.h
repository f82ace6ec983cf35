#pragma once
#include "craton/cluster/starts.h"

namespace craton {

// k-means|| (starts.h).
Array parallel_start(Source& x, const Start& start, const Exec& exec);

}  // namespace craton
