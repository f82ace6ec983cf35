#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/matrix.h"

// Small dense linear algebra on row-major d x d matrices. The only file that includes Eigen is
// linalg.cc; what Eigen asserts is an InputError (kNotFinite) here.

namespace craton {

// A = L L'. Overwrites the lower triangle with L and the upper with zeros; false when A is not
// positive definite (then the contents are undefined).
bool cholesky(std::span<double> a, Index d);

// L -> its inverse, lower triangular too. requires a positive diagonal.
void invert_lower(std::span<double> lower, Index d);

// L lower triangular d x d with L'L = A'A, for A of rows x d with rows <= d.
std::vector<double> lower_factor(std::span<const double> a, Index rows, Index d);

struct SymmetricEigen {
  std::vector<double> values;   // ascending
  std::vector<double> vectors;  // row-major d x d; column j belongs to values[j]
};
// InputError (kNotFinite) for numbers that are not finite.
SymmetricEigen eigen_symmetric(std::span<const double> a, Index d);

std::string linear_algebra();  // who does it: "Eigen 3.4.0"

}  // namespace craton
