#pragma once
#include "craton/base/matrix.h"

// The secular equation, whose roots x are the eigenvalues of diag(p) + z z':
//
//   1 + sum_i w_i / (p_i - x) = 0,   w_i = z_i^2 > 0, p ascending without repeats.
//
// Roots are found by R.-C. Li: Solving secular equations stably and efficiently (LAPACK working
// note 89, 1994), the middle way. The vectors are those of a z that has the computed roots as its
// exact ones, and so orthogonal to rounding: M. Gu, S. Eisenstat: A divide-and-conquer algorithm
// for the symmetric tridiagonal eigenproblem (SIAM J. Matrix Anal. Appl. 16, 1995).

namespace craton {

// origin + shift, origin the nearest p_i on one side: its distances from all p_i are known to the
// last digits.
struct SecularRoot {
  double origin, shift;
};

// Root i lies above p_i, and below the next.
void secular_roots(const double* p, const double* w, Index n, SecularRoot* roots);

// |z_i| of which the roots are exact, up to a common factor.
void secular_weights(const double* p, const SecularRoot* roots, Index n, double* z);

// The vectors of `count` roots, by rows: z_i / (p_i - x), of length 1. p and z may be in any order.
void secular_vectors(const double* p, const double* z, Index n, const SecularRoot* roots,
                     Index count, double* out);

}  // namespace craton
