#pragma once
#include <span>
#include <vector>

#include "craton/model/registry.h"

// Of k clusters of rows, how much closer they are than k clusters of rows that have none: with W_k
// the sum of squared distances to the centres, a row's mean, and W*_kb that of the b-th of B tables
// whose rows are uniform in the box of the columns' ranges,
//
//   Gap(k) = mean_b log W*_kb - log W_k,    s_k = sd_b(log W*_kb) sqrt(1 + 1 / B)
//
// The choice is the least k with Gap(k) >= Gap(k + 1) - s_{k+1} (Tibshirani, Walther and Hastie
// 2001).

namespace craton {

struct Gap {
  double value = 0, error = 0;  // of clusters without any spread infinite, and NaN
};

// Of a model whose objective is minus the sum of squared distances. Tables of at most 10 000 rows
// are drawn from the seed: the same for every k.
Gap find_gap(Source& x, const Fitted& fitted, Index references, std::uint64_t seed,
             const Exec& exec);

// Of gaps for ascending numbers of clusters, which one is chosen; the largest if the rule finds
// none.
Index choose_by_gap(std::span<const Gap> gaps);

}  // namespace craton
