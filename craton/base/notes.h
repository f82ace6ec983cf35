#pragma once
#include "craton/base/report.h"

namespace craton {

// A note that is told with the report of a fit; the others are warnings as well.
bool is_remark(const Note& note);

// What a fit says that took the only start it was asked for, where another might end elsewhere.
Note one_start();

}  // namespace craton
