#pragma once
#include <optional>
#include <vector>

#include "craton/linear/least_squares.h"

// The last digits of a fit of least squares. Residuals of the rows, which are taken for exact, have
// all their digits when they are computed with 106 bits (double_double.h); and they correct the
// coefficients, whatever is left of those:
//
//   (Z'WZ + alpha P) d = Z'W (y - Z b) - alpha P (b - m),   b := b + d.
//
// With a triangular factor of the matrix on the left each step gains the digits that the condition
// number leaves of sixteen. (Bjorck, "Numerical methods for least squares problems", 1996, section
// 2.9.) A factor of the normal equations with 106 bits gains all of them unless the square of the
// condition number passes 1e28: that is `precise`, at twenty times the time.

namespace craton {

// Some steps from a fit that was made of these sums of these rows. A fit whose columns depend on
// each other is returned as it is.
LeastSquares refined(Source& x, const TriangularSums& sums, Intercept intercept,
                     const CoefficientPrior& prior, LeastSquares fit, const Exec& exec);

struct PreciseSquares {
  LeastSquares fit;
  std::vector<double> inverse;  // (Z'WZ + alpha P)^-1: the intercept, if there is one, is the first
};

// None where columns depend on each other: solve() has an answer.
std::optional<PreciseSquares> solve_precisely(Source& x, const RegressionColumns& columns,
                                              Intercept intercept, const CoefficientPrior& prior,
                                              const Exec& exec);

}  // namespace craton
