#pragma once
#include <array>
#include <cstddef>
#include <span>

// Where the time of gaussian_cells.h goes, in vectors: moments of points about the centre of their
// cell,
//
//   M_b = sum_i w_i z_i^b / b!,   z_i = (y_i - centre) / h,   b < p,
//
// and the sums sum_b M_b g_(a+b) that a polynomial is made of.

namespace craton {

inline constexpr std::size_t kGaussianOrder = 20, kPaddedGaussianOrder = 24;  // p; whole vectors
// So many terms are added one after the other, sums of such with what rounding takes from them.
inline constexpr std::size_t kGaussianRun = 32;

using GaussianMoments = std::array<double, kGaussianOrder>;

// No weights: all are 1. A power takes four roundings a step, where z takes two.
GaussianMoments gaussian_moments(std::span<const double> y, std::span<const double> w,
                                 double centre, double h);

// requires as many g as that takes. Of the last sums, those beyond p, nothing is to be known.
void add_translated(const GaussianMoments& moments, std::span<const double> g,
                    std::array<double, kPaddedGaussianOrder>& sums);

}  // namespace craton
