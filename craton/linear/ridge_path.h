#pragma once
#include <span>
#include <vector>

#include "craton/linear/least_squares.h"

// Ridge regression for many alphas from one decomposition. In the coordinates where the prior is
// that of alpha alone (least_squares.h: StandardForm), X = U S V' over the weighted rows, c = U'y:
//
//   b(alpha) = V diag(s / (s^2 + alpha)) c,      tr H = free + sum_k s_k^2 / (s_k^2 + alpha)
//   e_i = e_i(0) + sum_k u_ik g_k c_k,           g_k = alpha / (s_k^2 + alpha)
//   1 - w_i h_i = m_i(0) + w_i sum_k u_ik^2 g_k
//
// and the residual of row i when it is left out of the fit, with all of its w copies, is e_i / (1 -
// w_i h_i), exactly. (Rows that are the same are copies, too: w_i is the weight of all of them.)
// The rows are looked at once for all alphas. As alpha vanishes, so may both e_i and 1 - w_i h_i
// (more columns than rows; a row that alone has some column): their ratio is then sum_k u_ik c_k /
// s_k^2 over w_i sum_k u_ik^2 / s_k^2, the fit of least length without the row.
//
// Generalised cross-validation has n rss / (n - tr H)^2. Golub, Heath, Wahba, "Generalized
// cross-validation as a method for choosing a good ridge parameter", Technometrics 21, 1979.

namespace craton {

struct RidgePath {
  std::vector<double> alphas;
  std::vector<double> intercepts;
  Array coefficients;             // alphas x columns
  std::vector<double> residual;   // sums of squares
  std::vector<double> effective;  // tr H, the intercept counted
  std::vector<double> gcv;
  std::vector<double> leave_one_out;  // mean squared error, by weight; infinite: not told

  Index best(std::span<const double> criterion) const;  // of equals, the first
};

// The prior's own alpha is not looked at. `errors`, if it is not empty, takes the leave-one-out
// residuals, rows x alphas.
RidgePath ridge_path(Source& x, const TriangularSums& sums, Intercept intercept,
                     const CoefficientPrior& prior, std::span<const double> alphas,
                     const Exec& exec, std::span<double> errors = {});

}  // namespace craton
