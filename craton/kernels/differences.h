#pragma once
#include <span>

#include "craton/base/row_of.h"

// Squared distances as sums of squared differences, in double: nothing is expanded, so nothing
// cancels. Term j goes to partial sum j mod 8 and the eight are added in pairs, on every CPU: the
// bits do not depend on its vectors. The relative error is at most (columns / 8 + 6) epsilon.

namespace craton {

template <class T>
double squared_distance(const T* row, const double* centre, Index columns);

// out[c] = |row - centre c|^2, for `count` centres below one another.
template <class T>
void squared_distances(const T* row, const double* centres, Index count, Index columns,
                       double* out);

// The same for a sparse row, whose zeros cost nothing: |centre|^2 less the squares of the centre's
// entries where the row has some. The error is at most (entries + 8) epsilon of that norm.
template <class T>
double squared_distance(const RowEntries<T>& row, const double* centre, double norm, Index columns);

// Rows and the centre that each belongs to. Row: const T*, or RowEntries<T>.
template <class Row>
struct LabelledRows {
  std::span<const Row> rows;
  const std::int32_t* labels;
  const double* centres;  // k x columns
  Index columns;
  const double* norms = nullptr;  // |centre|^2, for sparse rows
};

// out[i] = |row i - its centre|^2
template <class Row>
void squared_distances(const LabelledRows<Row>& x, double* out);

// The same, and sums[label] += weight (row - centre), row after row; weight row for sparse rows. No
// weights: all are 1.
template <class Row>
void add_differences(const LabelledRows<Row>& x, std::span<const double> weights, double* sums,
                     double* out);

}  // namespace craton
