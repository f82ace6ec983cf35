#pragma once
#include <span>

#include "craton/classes/class_scatter.h"

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

namespace craton {

enum class Shrinkage { kNone, kAuto, kOas, kFixed };

// Which sums the rule needs.
constexpr ClassScatter::Order order_of(Shrinkage rule) {
  return rule == Shrinkage::kAuto ? ClassScatter::Order::kFourth : ClassScatter::Order::kSecond;
}

// Shrinks `covariance`, the d x d one (divided by n) of the rows of a class, which `sums` know.
// Returns a.
double shrink(std::span<double> covariance, Shrinkage rule, double fixed, const ClassScatter& sums,
              Index label);

}  // namespace craton
