#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/kernels/algebra/qr.h"

// Dense linear algebra on row-major d x d matrices; factors of rows are in qr.h. Small matrices are
// Eigen's, and the only file that includes it is linalg.cc; what Eigen asserts is an InputError
// (kNotFinite) here. From kLargeMatrix columns on they are cut into blocks, and the work is
// products (products.h): ratios to LAPACK are in bench/results/products.md.

namespace craton {

inline constexpr Index kLargeMatrix = 128;

// A = L L'. Overwrites the lower triangle with L and the upper with zeros; false when A is not
// positive definite (then the contents are undefined).
bool cholesky(std::span<double> a, Index d);

// L X = B and L' X = B, for B of d x columns by rows, in place. A column of X depends on that of B
// alone, not on how many there are. requires a diagonal without zeros.
void solve_lower(std::span<const double> lower, Index d, std::span<double> b, Index columns);
void solve_lower_transposed(std::span<const double> lower, Index d, std::span<double> b,
                            Index columns);

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
