#pragma once
#include "craton/model/registry.h"

namespace craton {

// With log-likelihood L (the objective, a mean, times the total weight n) and p free parameters:
//
//   BIC = -2 L + p log n  (Schwarz 1978)    AIC = -2 L + 2 p  (Akaike 1974)
//   ICL = BIC + 2 n H     (Biernacki, Celeux, Govaert 2000)
//
// where H is the mean entropy of the rows' posteriors: ICL wants components that tell rows apart.
// Lower is better.
struct Criteria {
  double log_likelihood = 0, bic = 0, aic = 0, icl = 0;
  Index free_parameters = 0;
};

// requires a model that counts its free parameters. entropy: H above, NaN when not known.
Criteria find_criteria(const Fitted& fitted, double mean_log_likelihood, double total_weight,
                       double entropy);

// n above: the sum of the weights of rows, in their order; their number where they have none.
double total_weight(Source& x);

// The words for a difference of BIC, which is about twice the logarithm of a Bayes factor: "strong
// evidence" (Kass and Raftery, "Bayes factors", 1995).
std::string_view evidence(double difference);

}  // namespace craton
