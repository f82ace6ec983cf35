#pragma once
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Sums of exponential kernels in one dimension over sorted points:
//
//   S(x) = sum_i w_i exp(-|x - y_i| / h)
//
// What all points on one side of y_k add up to there follows from what they do at its neighbour,
// by one factor: L_k = w_k + exp(-(y_k - y_(k-1)) / h) L_(k-1). Every 16th of these is kept; a sum
// takes the next one on each side and the points between. Nothing cancels: with e = 2^-53 the
// relative error is at most (points + 60 + 4 log(W / S)) e, W = sum_i w_i, the tails included,
// since the largest term is divided out.

namespace craton {

class LineDecays {
 public:
  // No weights: all are 1.
  LineDecays(double h, std::span<const double> points, std::span<const double> weights);
  // log S(x). requires the points and weights of the constructor.
  double log_sum(double x, std::span<const double> points, std::span<const double> weights) const;

 private:
  static constexpr Index kStep = 16;
  double h_;
  // Before each 16th point, at the last one before it; and from it on, at itself.
  std::vector<double> left_, right_;
};

}  // namespace craton
