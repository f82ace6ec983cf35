#pragma once
#include "craton/classes/counts/count_estimates.h"
#include "craton/engine/exec.h"

// The scores of the rows of a fit under its own model, added up. Models that are linear in counts
// need only the sums over the rows for it, of these only those that are not 0, and no table of
// estimates.

namespace craton {

// sum over rows of log p(x | class), by weight.
double multinomial_log_likelihood(const NonzeroSums& sums, const PerFeature& alpha,
                                  const Exec& exec);
double bernoulli_log_likelihood(const NonzeroSums& sums, const Alphas& alphas, const Exec& exec);
// The score of a row for its own class; without norm. requires alpha > 0.
double complement_score(const NonzeroSums& sums, const PerFeature& alpha, const Exec& exec);

}  // namespace craton
