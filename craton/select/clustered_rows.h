#pragma once
#include <span>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// How compact clusters are and how far apart, from rows and labels alone. With n rows in k clusters
// (those that have rows), c_a the mean of cluster a, c that of all, n_a rows in it:
//
//   Calinski-Harabasz   sum_a n_a |c_a - c|^2 / (k - 1)  over  sum_i |x_i - c_{a(i)}|^2 / (n - k)
//   Davies-Bouldin      mean_a max_{b != a} (s_a + s_b) / |c_a - c_b|,  s_a the mean distance of
//                       the rows of a from c_a
//
// (Calinski and Harabasz 1974; Davies and Bouldin 1979). Weights are not looked at.

namespace craton {

struct ClusteredRows {
  Source& x;
  std::span<const std::int32_t> labels;  // 0..clusters-1
  Index clusters = 0;
};

// InputError (kTooFewRows) unless there are from 2 to n - 1 clusters with rows.
std::vector<Index> check_clusters(const ClusteredRows& rows);  // their sizes

Array cluster_means(const ClusteredRows& rows, const Exec& exec);  // 0 where there are no rows

double calinski_harabasz(const ClusteredRows& rows, const Exec& exec);
double davies_bouldin(const ClusteredRows& rows, const Exec& exec);

}  // namespace craton
