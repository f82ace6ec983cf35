#pragma once
#include <span>

#include "craton/base/function_ref.h"
#include "craton/model/registry.h"

// Why a row has its label. Where features are independent given the label,
//
//   log p(label | x) - log p(other | x) = log p(label) - log p(other)
//                                       + sum_j log p(x_j | label) - log p(x_j | other),
//
// so every feature has its say, which can be looked at (Kononenko, "Inductive and Bayesian learning
// in medical diagnosis", Applied Artificial Intelligence 7, 1993). What calibration does to a
// posterior comes after this.

namespace craton {

struct Explanation {
  std::int32_t label = 0, other = 0;
  double log_p = 0, log_p_other = 0;              // of them, given the row
  double prior = 0;                               // the log-odds of the labels themselves
  std::span<const double> x = {}, log_odds = {};  // of each feature: its value, what that says
};

// Calls use(row, why) for each row, of different rows at once. `other` is the label to compare
// with, -1 for the runner-up; where it is the row's own label, all log-odds are 0. InputError
// (kNotAble) for a model that cannot, or has one label only.
void explain(const AnyModel& model, Source& x, std::int32_t other, const Exec& exec,
             FunctionRef<void(Index, const Explanation&)> use);

}  // namespace craton
