#pragma once
#include <vector>

#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/classes/group_cuts.h"

// Split and merge (Ueda, Nakano, Ghahramani and Hinton, "SMEM algorithm for mixture models", 2000):
// EM does not leave an optimum in which two components share a group of rows and another holds two
// groups. An exchange joins the two and cuts the third (group_cuts.h). With n_c rows in component c
// and q_ic of them row i, joining a and b to m costs the bound of EM (latent_class.h) at most
//
//   n_m/2 log |S_m| - n_a/2 log |S_a| - n_b/2 log |S_b| - n_m log n_m + n_a log n_a + n_b log n_b
//     + sum_i q_im log q_im - q_ia log q_ia - q_ib log q_ib.

namespace craton {

// Rows shared among components: q_ic, row after row.
using Shares = std::vector<double>;

// The shares after each of the exchanges that gain most, the best first; none where none gains.
// `shares`: the posteriors of the model, times the weights of the rows, whose sum is their number.
std::vector<Shares> exchanges(const GaussianMixture& model, const Shares& shares,
                              const GroupCuts& cuts, Index most);

}  // namespace craton
