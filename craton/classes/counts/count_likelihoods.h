#pragma once
#include "craton/classes/counts/count_estimates.h"
#include "craton/engine/exec.h"

// What the rows of a fit score under it, added up: of models that are linear in counts the sums of
// the rows tell, and of these only what was seen. The table of estimates is not needed.

namespace craton {

// sum over rows of log p(x | class), by weight.
double multinomial_log_likelihood(const NonzeroSums& sums, const PerFeature& alpha,
                                  const Exec& exec);
double bernoulli_log_likelihood(const NonzeroSums& sums, const Alphas& alphas, const Exec& exec);
// The score of a row for its own class; without norm. requires alpha > 0.
double complement_score(const NonzeroSums& sums, const PerFeature& alpha, const Exec& exec);

}  // namespace craton
