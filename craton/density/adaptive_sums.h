#pragma once
#include <vector>

#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/tables/points.h"

// Sums of kernels whose width is another about each point:
//
//   S(x) = sum_i v_i k(u_i / s_i),   v_i = w_i s_i^-d
//
// (Abramson, "On bandwidth variation in kernel estimates: a square root law", 1982, has
// s_i = sqrt(g / p(y_i)), with a pilot p and its geometric mean g over the points.)
//
// Every point is visited, in blocks. With e = 2^-53, squares are right to delta = (d + 16) e,
// relative, so that S is, as kernel_sums.h has it, right to delta E of kernels without an end,
// E = log(sum_i v_i / S), and to delta sup |k'| u times the v_i of the points inside of others.
// Rounding of logarithms, terms and sums adds (600 + n / 512 + 4 (L + d)) e, where L is the
// greatest |log v_i|.

namespace craton {

class AdaptiveSums {
 public:
  // requires positive bandwidths and scales, one for each column and point.
  AdaptiveSums(SmoothingKernel kernel, std::vector<double> bandwidths, const Points& points,
               std::vector<double> scales);

  KernelSum at(const double* x, Index first) const;  // by the first columns
  double log_weight(Index first) const;              // log sum_i v_i
  double narrowest() const { return narrowest_; }    // of the scales
  double widest() const { return widest_; }
  const std::vector<double>& scales() const { return scales_; }
  double weight() const { return weight_; }

 private:
  SmoothingKernel kernel_;
  std::vector<double> bandwidths_;
  Points points_;
  std::vector<double> scales_, log_scales_, log_weights_;
  double narrowest_ = 0, widest_ = 0, weight_ = 0;
};

// The logarithm of a kernel's profile at u >= 0, and sup |k'| of kernels that end.
double log_profile(SmoothingKernel kernel, double u);
inline constexpr double kSteepest = 2.02;  // the tricube's

}  // namespace craton
