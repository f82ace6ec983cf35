#pragma once
#include "craton/base/matrix.h"

// What gradients over rows are made of: rows moved to a centre and scaled, their products with one
// vector of weights, and their weighted sum. Sums are of doubles; each of them has an order that
// depends on its length and on the width of the CPU's registers alone.

namespace craton {

// z_ij = (x_ij - centre_j) unit_j for the columns of x; others of the `stride` stay as they are.
void centre_rows(const Dense<double>& x, const double* centre, const double* unit, double* z,
                 Index stride);
void centre_rows(const Dense<float>& x, const double* centre, const double* unit, double* z,
                 Index stride);

// out_i = sum_j z_ij theta_j
void dot_rows(const double* z, Index rows, Index stride, Index cols, const double* theta,
              double* out);

// sums_j += sum_i factors_i z_ij, in the order of i.
void add_rows(const double* z, Index rows, Index stride, Index cols, const double* factors,
              double* sums);

void to_floats(const double* from, Index count, float* to);

}  // namespace craton
