#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// What normal approximations say of estimates: the estimate of a parameter is normal about its
// value, with the covariance given.

namespace craton {

// The rows and columns of a square matrix at these places.
std::vector<double> part_of(std::span<const double> matrix, std::size_t size,
                            std::span<const std::size_t> places);

// The inverse of a symmetric positive definite matrix, scaled to a unit diagonal first; none where
// it has none.
std::optional<std::vector<double>> inverse_of_symmetric(std::span<const double> a, Index d);

// g' A^-1 g; none where A has no inverse.
std::optional<double> quadratic_form(std::span<const double> a, std::span<const double> g);

// A^-1 B A^-1, given A^-1: the covariance of estimates that solve equations whose derivative is A
// and whose covariance is B (P. Huber, 1967; H. White, 1982).
std::vector<double> sandwich(std::span<const double> inverse, std::span<const double> meat,
                             Index d);

double normal_tails(double z);                    // P(|Z| > |z|)
double normal_quantile_of_tails(double tails);    // z with P(|Z| > z) = tails
double chi_square_tail(double value, double df);  // P(X > value)

}  // namespace craton
