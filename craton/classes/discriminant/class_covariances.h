#pragma once
#include <vector>

#include "craton/base/schema.h"
#include "craton/classes/discriminant/class_moments.h"
#include "craton/classes/discriminant/class_scatter.h"
#include "craton/classes/discriminant/covariance_shrinkage.h"

// Means and covariances of classes from their sums. With the scatter S_c about the mean of class c
// over weight n_c, S = sum_c S_c, and f = ddof:
//
//   shrink S_c (covariance_shrinkage.h), then
//   Sigma_c = ((1 - p) S_c + p S) / ((1 - p)(n_c - f) + p (n - f K)),  p = pooling
//   Sigma_c = (1 - r) Sigma_c + r I,                                   r = reg_param
//
// and no direction of Sigma_c has a standard deviation below tol, in units of the columns' own
// within classes (of those that have none there, over all rows): a class of few rows, or with a
// constant column, has a density all the same. One full covariance is left as it is.
//
// Variances alone likewise, with their own rules of shrinkage; one for all columns is not shrunk.
//
// p = 0: the classes' own; p = 1: one for all; between them, with a fixed shrinkage, the
// regularised discriminant analysis of Friedman (J. American Statistical Association 84, 1989). A
// class without rows has the mean of all rows, and S / (n - f K).

namespace craton {

enum class CovarianceType { kFull, kDiag, kSpherical };

struct CovarianceRule {
  CovarianceType type = CovarianceType::kFull;
  Shrinkage shrinkage = Shrinkage::kNone;
  double amount = 0;  // of a fixed shrinkage
  double pooling = 0;
  double reg_param = 0;
  double tol = 1e-4;
  Index ddof = 0;

  // Of the sums that it needs: one variance for all columns is its own target.
  MomentOrder order() const {
    return type == CovarianceType::kSpherical ? MomentOrder::kSecond : order_of(shrinkage);
  }
};

struct ClassCovariances {
  Array means;       // classes x columns
  Array covariance;  // full: g x d x d; diag: g x d; spherical: g; g the classes, or 1
  // The covariances of the classes' own, divided by n_c: classes x d x d, or classes x d.
  Array own;
  std::vector<Note> notes = {};
};

// One covariance if pooling is 1 and `shared`. InputError (kTooFewRows) where ddof leaves nothing
// to divide by, kNotFinite for values that spread too widely, kNoSpread for rows that are all
// alike.
ClassCovariances full_covariances(const ClassScatter& sums, const CovarianceRule& rule, bool shared,
                                  const Schema& schema);
// The same of each column by itself, over the values that are there.
ClassCovariances diagonal_covariances(const ClassMoments& sums, const CovarianceRule& rule,
                                      bool shared, const Schema& schema);

}  // namespace craton
