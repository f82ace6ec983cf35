#pragma once
#include <span>
#include <vector>

#include "craton/density/row_kernels.h"
#include "craton/families/bandwidth.h"

// Bandwidth matrices H, d x d: kernels of |L^-1 (x - y)| with H = L L'. A given one, its diagonal
// alone, or f^2 times the covariance of the columns, where f is a number, n^(-1/(d+4)) for `scott`
// or (4 / ((d+2) n))^(1/(d+4)) for `silverman`: SciPy's gaussian_kde.

namespace craton {

// InputError (kBadOption): neither d nor d x d numbers, not symmetric.
std::vector<double> given_matrix(const Array& given, Index columns);

// InputError where there is no spread, or the rule is another one.
std::vector<double> covariance_matrix(BandwidthRule rule, double number, const Points& points,
                                      const Schema& schema);

// The bandwidths of a shape, and the factor of a matrix that is more than its diagonal. InputError
// (kBadOption): not positive definite.
void set_matrix(std::vector<double> matrix, const Schema& schema, KernelShape& shape);

std::vector<double> product_of(std::span<const double> factor, Index columns);   // L L'
std::vector<double> diagonal_of(std::span<const double> factor, Index columns);  // of L L', roots

}  // namespace craton
