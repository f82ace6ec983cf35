#pragma once
#include "craton/select/clustered_rows.h"

// How well each row lies in its cluster: with a_i the mean distance from row i to the other rows of
// its cluster, and b_i the least mean distance to the rows of another one,
//
//   s_i = (b_i - a_i) / max(a_i, b_i),  0 for a row that is alone in its cluster
//
// (Rousseeuw 1987). Takes the distances of all pairs. The simplified one (Hruschka, de Castro and
// Campello 2004) has distances to the means of clusters for a_i and b_i: O(n k) distances, and
// another number, most often a larger one.

namespace craton {

// out[i] = s_i. requires a place for each row; InputError as check_clusters().
void silhouettes(const ClusteredRows& rows, std::span<double> out, const Exec& exec);
void simplified_silhouettes(const ClusteredRows& rows, std::span<double> out, const Exec& exec);

// Their means.
double silhouette(const ClusteredRows& rows, const Exec& exec);
double simplified_silhouette(const ClusteredRows& rows, const Exec& exec);

}  // namespace craton
