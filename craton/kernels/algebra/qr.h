#pragma once
#include <limits>
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Triangular factors of Gram matrices, without the Gram matrix: X'X = R'R with R upper triangular
// (d x d by rows, zeros below the diagonal), by Householder reflections. R has the condition of X,
// X'X has its square. R is a sum over rows: it begins as zeros, rows are added and two are merged.
// Its diagonal is not negative, which makes it unique when X has full rank.
//
// Blocks of reflections are I - V T V' (R. Schreiber, C. Van Loan: A storage-efficient WY
// representation for products of Householder transformations, SIAM J. Sci. Stat. Comput. 10, 1989),
// panels are halved (E. Elmroth, F. Gustavson: Applying recursion to serial and parallel QR
// factorization, IBM J. Res. Dev. 44, 2000), so that nearly all of the work is products.
// Columns are pivoted as in G. Quintana-Orti, X. Sun, C. Bischof: A BLAS-3 version of the QR
// factorization with column pivoting (SIAM J. Sci. Comput. 19, 1998).
//
// Numbers that are not finite, or whose sums overflow: InputError (kNotFinite).

namespace craton {

// R'R += X' diag(weights) X, for n rows of X, which are overwritten. No weights: all are 1.
// requires weights >= 0. Rows are taken kRowsOfQr at a time: cut there, they may come in any number
// of calls.
inline constexpr Index kRowsOfQr = 256;
void add_rows(std::span<double> r, Index d, std::span<double> x, Index n,
              const double* weights = nullptr);

// R'R += S'S, for two triangular factors.
void merge_triangles(std::span<double> r, std::span<const double> s, Index d);

// A P = Q R with the columns of A in such an order that each is, of those that are left, the one
// furthest from the span of those before it (ties: the lower index). It ends at the column that is
// nearer to that span than `tolerance` times the largest norm: the rank is their number, and
//
//   column pivots[rank + j] = sum_i combinations[i * (columns - rank) + j] column pivots[i],
//
// i < rank, but for a remainder of that size. Columns should be on one scale.
struct PivotedQr {
  std::vector<Index> pivots;  // all columns of A
  Index rank = 0;
  std::vector<double> r;             // rank x (columns + carried), by rows, in the order of pivots
  std::vector<double> combinations;  // rank x (columns - rank)
  std::vector<double> rest;          // of each carried column, its distance from the span of A
};

// Of A, rows x (columns + carried) by rows. The last `carried` columns are no part of the pivoting
// and become Q'b: then R x = Q'b is the least-squares solution. tolerance < 0: max(rows, columns)
// eps.
PivotedQr pivoted_qr(std::span<const double> a, Index rows, Index columns, Index carried = 0,
                     double tolerance = -1);

}  // namespace craton
