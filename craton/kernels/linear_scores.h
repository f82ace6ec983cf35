#pragma once
#include <cstdint>

#include "craton/base/matrix.h"

// Scores that are linear in the features of a row, for many classes at once.

namespace craton {

// The classes of a table of weights lie side by side, so many to a feature: the least multiple of
// 4 that holds them.
constexpr Index padded_classes(Index classes) { return (classes + 3) / 4 * 4; }

// out[c] += sum_e values[e] * weights[columns[e] * stride + c], in the order of e, for all
// c < stride. requires a multiple of 4 as stride, and `known` >= count columns: those after the
// last are of rows that come next, if any.
template <class T>
void add_scores(const T* values, const std::int32_t* columns, Index count, Index known,
                const double* weights, Index stride, double* out);

// out[i * classes + c] = start[c] + sum_j (x_ij - centre_j) weights[j * stride + c], in the order
// of j, with stride = padded_classes(classes); `start` has as many places. `work` has room for
// centred_room(columns) doubles; null: memory is taken. requires stride > 0.
constexpr Index centred_room(Index columns) { return 4 * columns; }
template <class T>
void centred_scores(const Dense<T>& x, const double* centre, const double* weights,
                    const double* start, Index classes, double* out, double* work = nullptr);

}  // namespace craton
