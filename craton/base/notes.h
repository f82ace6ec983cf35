#pragma once
#include "craton/base/report.h"

namespace craton {

// A note that is told with the report of a fit; the others are warnings as well.
bool is_remark(const Note& note);

// What a fit says that took the only start it was asked for, where another might end elsewhere.
Note one_start();

// Of some texts nothing is counted: they are empty, or all their words are unknown.
Note texts_without_terms(Index count, Index of);

}  // namespace craton
