#pragma once
#include <span>

#include "craton/classes/discriminant/class_moments.h"
#include "craton/classes/discriminant/class_scatter.h"

// A covariance S of few rows is pulled towards a multiple of the identity:
//
//   (1 - a) S + a m I,  m = tr S / d
//
//   fixed  a is given
//   auto   Ledoit and Wolf's a, of the columns in units of their standard deviations ("A
//          well-conditioned estimator for large-dimensional covariance matrices", J. Multivariate
//          Analysis 88, 2004): min(1, b / e) with e = |S - m I|^2 / d and
//          b = (sum_i |x_i|^4 / n - |S|^2) / (d n), rows x_i about their mean
//   oas    Chen, Wiesel, Eldar and Hero's ("Shrinkage algorithms for MMSE covariance estimation",
//          IEEE Trans. Signal Processing 58, 2010), of the columns as they are:
//          min(1, (q + m^2) / ((n + 1)(q - m^2 / d))) with q = |S|^2 / d^2
//
// All as in scikit-learn's lsqr and eigen solvers.
//
// Variances v_1..v_d by themselves are pulled to (1 - a) v_j + a m, m their mean, by the same rules
// with every matrix replaced by its diagonal. With g = sum_j (v_j - m)^2 and columns as they are
// (by their standard deviations all v_j were 1):
//
//   auto   min(1, sum_j u_j / g), u_j = sum_i (y_ij^2 - v_j)^2 / n_j^2 what v_j varies by
//   oas    of normal values, u_j = 2 sigma_j^4 / n_j, the fixed point of Chen's iteration: with
//          c_j = 2 (1 - 1 / d) / n_j, A = sum_j c_j v_j^2 and B = m sum_j c_j v_j
//          A / (g + A - B), or 1 unless g > B
//
// docs/discriminant-analysis.md derives both. One variance for all columns is its own target.

namespace craton {

enum class Shrinkage { kNone, kAuto, kOas, kFixed };

// Which sums the rule needs.
constexpr MomentOrder order_of(Shrinkage rule) {
  return rule == Shrinkage::kAuto ? MomentOrder::kFourth : MomentOrder::kSecond;
}

// Shrinks `covariance`, the d x d one (divided by n) of the rows of a class, which `sums` know.
// Returns a.
double shrink(std::span<double> covariance, Shrinkage rule, double fixed, const ClassScatter& sums,
              Index label);
// The same of the d variances alone: of columns without a value in the class nothing is known.
double shrink_variances(std::span<double> variances, Shrinkage rule, double fixed,
                        const ClassMoments& sums, Index label);

}  // namespace craton
