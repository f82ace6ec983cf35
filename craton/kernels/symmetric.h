#pragma once
#include "craton/base/matrix.h"

// Eigenvalues and eigenvectors of a large symmetric matrix A = Z diag(values) Z', by rows d x d:
//
//   A = Q T Q' with T tridiagonal, by blocks of reflections: half of the work is products (J.
//   Dongarra, D. Sorensen, S. Hammarling: Block reduction of matrices to condensed forms, J. Comp.
//   Appl. Math. 27, 1989);
//   T = S diag(values) S' by implicit QR steps with Wilkinson's shift (Golub, Van Loan: Matrix
//   Computations, 8.3), whose rotations are kept and applied to Q many sweeps at a time, so that
//   a strip of Q stays in the cache (F. Van Zee, R. van de Geijn, G. Quintana-Orti: Restructuring
//   the tridiagonal and bidiagonal QR algorithms for performance, ACM TOMS 40, 2014).
//
// linalg.h is what models call.

namespace craton {

// Reads the lower triangle of A, which is finite. Values ascend; column j of `vectors` belongs to
// values[j]. False when the iteration does not end (it is not known to happen).
bool symmetric_eigen(const double* a, Index d, double* values, double* vectors);

// Rotations of rows first, first + 1, ...: each of a row and the next, which become c x + s y and
// c y - s x; `at` is where they begin among all.
struct PlaneRotation {
  double c, s;
};
struct RotationSweep {
  Index first, count, at;
};

}  // namespace craton
