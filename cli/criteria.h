#pragma once
#include "craton/core/registry.h"

namespace craton::cli {

// With log-likelihood L (the objective, a mean, times the total weight n) and p free parameters:
//
//   BIC = -2 L + p log n  (Schwarz 1978)    AIC = -2 L + 2 p  (Akaike 1974).    Lower is better.
struct Criteria {
  double log_likelihood = 0, bic = 0, aic = 0;
  Index free_parameters = 0;
};

// requires a model that counts its free parameters.
Criteria find_criteria(const AnyModel& model, double mean_log_likelihood, double total_weight);

}  // namespace craton::cli
