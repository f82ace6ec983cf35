#pragma once
#include <memory>
#include <span>
#include <vector>

#include "craton/classes/class_prior.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/counts/count_scores.h"
#include "craton/classes/counts/feature_sums.h"

// The scores of a row under the model of all other rows, without fitting it anew: the row's own
// counts are taken from the sums of its class. A row of weight w is w copies of it, of which one is
// left out (all of it, if w is below 1).
//
//   multinomial  p_yj = (N_yj - x_j + alpha_j) / sum_i (N_yi - x_i + alpha_i); other classes stay
//   Bernoulli    p_yj = (N_yj - x_j + alpha_j) / (N_y - 1 + 2 alpha_j), of absent features too
//   complement   the row's counts are in the weights of all classes but y: these change, y's stay
//
// and log p(c) from N_c - [c = y]. O(nonzeros x classes) a row; Bernoulli takes O(columns) more
// where weights are below 1.

namespace craton {

class LeaveOneOut {
 public:
  virtual ~LeaveOneOut() = default;
  // Row after row; rows without a label, as the model of all rows scores them.
  virtual void find(const Chunk& chunk, std::span<double> out) const = 0;
};

// What is left out from, of all kinds. Borrows everything.
struct LeftOut {
  const FeatureSums& sums;
  const Alphas& alphas;
  const ClassPrior& prior;
  const CountScores& scores;  // of the model of all rows
};

std::unique_ptr<LeaveOneOut> leave_one_out_of_counts(const LeftOut& model);
std::unique_ptr<LeaveOneOut> leave_one_out_of_presence(const LeftOut& model, double threshold);
// InputError (kBadOption) where an alpha is 0: a feature of one row only would have no weight.
std::unique_ptr<LeaveOneOut> leave_one_out_of_complement(const LeftOut& model, bool norm);

}  // namespace craton
