#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Triangular factors of small matrices, row-major: A'A = R'R with R upper triangular. By
// Householder's reflections, with cost 2 rows cols^2; each column of R has the relative accuracy
// that its column of A has, whatever their units (Higham, "Accuracy and stability of numerical
// algorithms", section 19.4).

namespace craton {

inline constexpr double kRoundoff = 0x1p-52;  // the distance of 1 to the next double
inline double squared(double v) { return v * v; }

// The first min(rows, cols) rows of `a` become R, with a diagonal that is not negative, and the
// others go. Returns how many are left.
Index triangularise(std::vector<double>& a, Index rows, Index cols);

// Only the first column: rows are reflected so that it vanishes below the first row.
void reflect_first(std::vector<double>& a, Index rows, Index cols);

// [A B] with A of `pivoted` columns: the longest column that is left comes next, until none is
// longer than tolerance times the first. R and Q'B.
struct PivotedTriangle {
  std::vector<double> r;     // rows x cols, columns of A in their new order
  std::vector<Index> order;  // r's column k is A's column order[k]
  Index rank = 0;
};
PivotedTriangle pivoted_triangle(std::vector<double> a, Index rows, Index cols, Index pivoted,
                                 double tolerance);

// The leading n x n triangle of r, whose rows are `stride` apart: r x = b, r'x = b, in place.
void solve_upper(const double* r, Index n, Index stride, double* b);
void solve_upper_transposed(const double* r, Index n, Index stride, double* b);
// Its inverse, upper triangular, n x n. A row that is 0 on the diagonal has an inverse of 0.
std::vector<double> inverse_upper(const double* r, Index n, Index stride);

// The largest singular value of an upper triangular matrix, from below, to a few percent.
double largest_singular_value(std::span<const double> r, Index n);
// |R| |R^-1|, once columns have length 1: infinite where a diagonal is 0.
double scaled_condition(const double* r, Index n, Index stride);

// Rows turned until they are at right angles, from the longest to the shortest: M = V Y, V of n x n
// orthogonal, Y of n x length. The lengths of Y's rows are the singular values of M, each to nearly
// all of its digits, small ones too where M is a triangle (one-sided Jacobi: Demmel and Veselic,
// SIAM J. Matrix Analysis 13, 1992); for many rows, by the eigenvectors of M M', which cost much
// less and are taken if the condition number leaves them their digits.
struct OrthogonalRows {
  std::vector<double> rows, lengths;  // Y, and its lengths
  std::vector<double> turn;           // V'
};
OrthogonalRows orthogonal_rows(std::vector<double> m, Index n, Index length);

}  // namespace craton
