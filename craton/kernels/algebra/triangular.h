#pragma once
#include "craton/base/matrix.h"

// Lower triangular factors of any size, by rows, `stride` apart: halves of halves, so that nearly
// all of the work is products (products.h). linalg.h is what models call.

namespace craton {

// A = L L' over the lower triangle; the upper one is not touched. False when A is not positive
// definite: then what is in it is undefined. Of an A that is not finite L may not be either.
bool factor_lower(double* a, Index stride, Index d);

// L X = B, L' X = B, for B of d x columns: in place. A column of X depends on that of B alone.
void solve_left(const double* lower, Index stride, Index d, double* b, Index b_stride,
                Index columns);
void solve_left_transposed(const double* lower, Index stride, Index d, double* b, Index b_stride,
                           Index columns);
// X L' = B for B of rows x d: in place. A row of X depends on that of B alone.
void solve_right_transposed(const double* lower, Index stride, Index d, double* b, Index b_stride,
                            Index rows);

// L -> its inverse. The upper triangle is zeros, before and after.
void invert_triangle(double* lower, Index stride, Index d);

}  // namespace craton
