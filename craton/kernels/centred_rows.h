#pragma once
#include "craton/base/matrix.h"

// What gradients over rows are made of: rows moved to a centre and scaled, their products with a
// few vectors of weights, and their weighted sums. A few rows stay in the nearest cache for all of
// them. Sums are of doubles; each of them has an order that depends on its length and on the width
// of the CPU's registers alone.

namespace craton {

// z_ij = (x_ij - centre_j) unit_j for the columns of x; others of the `stride` stay as they are.
void centre_rows(const Dense<double>& x, const double* centre, const double* unit, double* z,
                 Index stride);
void centre_rows(const Dense<float>& x, const double* centre, const double* unit, double* z,
                 Index stride);

// out_ir = sum_j z_ij theta_rj, for theta of forms x cols
void dot_rows(const double* z, Index rows, Index stride, Index cols, const double* theta,
              Index forms, double* out);

// sums_rj += sum_i factors_ir z_ij, in the order of i, for factors of rows x forms
void add_rows(const double* z, Index rows, Index stride, Index cols, const double* factors,
              Index forms, double* sums);

void to_floats(const double* from, Index count, float* to);

}  // namespace craton
