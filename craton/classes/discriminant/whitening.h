#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

namespace craton {

// L, lower triangular, with L'L = Sigma^-1. Where Sigma is singular, it is that of the space that
// the rows span: eigenvalues of the correlations of at most tol^2 are left out, with their
// directions.
struct Whitening {
  std::vector<double> lower;  // d x d
  double log_scale = 0;       // log det L; of less than full rank, of L on the space that it keeps
  Index rank = 0;
  // Of less than full rank: the least eigenvalue of the correlations, and the column that its
  // direction leans on most.
  double least = 0;
  Index column = 0;
};

// requires a symmetric d x d covariance, finite, with no negative variance.
Whitening whiten(std::span<const double> covariance, Index d, double tol);

}  // namespace craton
