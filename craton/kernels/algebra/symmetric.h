#pragma once
#include "craton/base/matrix.h"

// Eigenvalues and eigenvectors of a large symmetric matrix A = Z diag(values) Z', by rows d x d:
//
//   A = Q T Q' with T tridiagonal, by blocks of reflections: half of the work is products (J.
//   Dongarra, D. Sorensen, S. Hammarling: Block reduction of matrices to condensed forms, J. Comp.
//   Appl. Math. 27, 1989);
//   T = S diag(values) S' by divide and conquer (tridiagonal.h), and Z = Q S: products.
//
// linalg.h is what models call.

namespace craton {

// Reads the lower triangle of A, which is finite. Values ascend; column j of `vectors` belongs to
// values[j]. False when the iteration does not end (it is not known to happen).
bool symmetric_eigen(const double* a, Index d, double* values, double* vectors);

}  // namespace craton
