#pragma once
#include <optional>

#include "craton/classes/counts/feature_sums.h"

namespace craton {

// What sum_features() finds, of sparse rows that lie in memory: the rows of one class after the
// other, so that its sums stay in the processor's cache, and no table of all classes is ever there.
// Empty when it cannot be had this way; sum_features() then has an answer, or refuses.
std::optional<NonzeroSums> sums_by_class(Source& x, Index classes, const Summand& summand,
                                         const Exec& exec);

}  // namespace craton
