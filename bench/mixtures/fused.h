#pragma once
#include <cstddef>
#include <vector>

// A mixture of diagonal Gaussians by hand: one E-step and the sums of the M-step, for a number of
// columns and components that the compiler knows. What the program over blocks is compared with.

namespace craton::bench {

struct Gaussians {
  std::size_t k, d;
  std::vector<double> weight, mean, variance;  // k, k x d, k x d
};

struct Sums {
  double log_likelihood = 0;
  std::vector<double> weight, sum, square;  // k, k x d, k x d: of x and x^2
};

// One EM step on n rows; requires (d, k) to be one of (2, 3), (8, 8), (16, 8).
Sums fused_e_step(const double* x, std::size_t n, const Gaussians& model);
Gaussians fused_m_step(const Sums& sums, std::size_t d);

}  // namespace craton::bench
