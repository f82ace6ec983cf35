#pragma once
#include "craton/base/matrix.h"

// Sums of distances from rows to groups of rows, without a matrix of distances:
//
//   out[r] = sum_j |x_r - y_j|
//
// Each distance is the root of a sum of squared differences, column after column, so nothing
// cancels: its relative error is at most (columns / 2 + 2) epsilon. Row j of the group goes to
// partial sum j mod 8 and the eight are added in pairs, on every CPU.

namespace craton {

inline constexpr Index kDistanceLanes = 8;  // rows of a group lie in blocks of so many
inline constexpr Index kDistanceRows = 4;   // rows from which distances are summed at once

// Row j of a group, column c, is at [(j / 8 * columns + c) * 8 + j % 8].
constexpr Index distance_blocks(Index rows) { return (rows + kDistanceLanes - 1) / kDistanceLanes; }

// For kDistanceRows rows at once. requires `rows` rows in `group`, whose last block is filled up
// with any numbers.
void distance_sums(const double* const x[kDistanceRows], const double* group, Index rows,
                   Index columns, double out[kDistanceRows]);

}  // namespace craton
