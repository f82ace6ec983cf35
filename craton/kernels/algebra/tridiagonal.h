#pragma once
#include "craton/base/matrix.h"

// Eigenvalues and eigenvectors of a symmetric tridiagonal matrix T = S diag(values) S', by divide
// and conquer. T falls into two halves but for rank one, and so do their eigenvectors:
//
//   T = diag(T1, T2) + rho u u' = diag(S1, S2) (D + rho z z') diag(S1, S2)',   u = e_m +- e_m+1,
//
// whose values are the roots of a secular equation (secular.h), one between any two d_i. Where
// z_i or a gap of the d_i is as small as rounding errors, nothing is to be done (deflation); the
// rest is a product. J. Cuppen: A divide and conquer method for the symmetric tridiagonal
// eigenproblem (Numer. Math. 36, 1981). Vectors are orthogonal to rounding however near values lie,
// since they are those of a z that has the computed roots as its exact ones: M. Gu, S. Eisenstat:
// A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem (SIAM J. Matrix Anal.
// Appl. 16, 1995).

namespace craton {

// `values` is the diagonal, `beside` the d - 1 numbers beside it (lost), none of them much above 1.
// Row i of `rows` (d x d) becomes the vector of values[i]; these ascend in the order of `order`.
// False when a small matrix is not solved in many steps (it is not known to happen).
bool tridiagonal_eigen(double* values, double* beside, Index d, double* rows, Index* order);

}  // namespace craton
