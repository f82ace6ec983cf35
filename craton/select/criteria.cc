#include "craton/select/criteria.h"

#include <algorithm>
#include <cmath>

namespace craton {

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

double total_weight(Source& x) {
  constexpr Index kRows = 4096;
  const Index rows = x.shape().rows;
  double sum = 0;
  Block block;
  Chunk chunk;
  for (Index first = 0; first < rows; first += kRows) {
    x.fetch({first, std::min(first + kRows, rows)}, block);
    x.decode(block, chunk);
    if (chunk.weights.empty()) return static_cast<double>(rows);
    for (const double w : chunk.weights) sum += w;
  }
  return sum;
}

std::string_view evidence(double difference) {
  return difference < 2    ? "barely more than a tie"
         : difference < 6  ? "positive evidence"
         : difference < 10 ? "strong evidence"
                           : "very strong evidence";
}

}  // namespace craton
