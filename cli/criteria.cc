#include "cli/criteria.h"

#include <cmath>

namespace craton::cli {

Criteria find_criteria(const Fitted& fitted, double mean_log_likelihood, double total_weight,
                       double entropy) {
  Criteria result;
  result.free_parameters = fitted.model->free_parameters(fitted.options);
  result.log_likelihood = mean_log_likelihood * total_weight;
  const double p = static_cast<double>(result.free_parameters);
  result.bic = -2 * result.log_likelihood + p * std::log(total_weight);
  result.aic = -2 * result.log_likelihood + 2 * p;
  result.icl = result.bic + 2 * total_weight * entropy;
  return result;
}

}  // namespace craton::cli
