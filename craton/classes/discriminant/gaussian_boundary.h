#pragma once
#include "craton/classes/discriminant/gaussian_classes.h"

// Where two Gaussian classes are as probable as each other. With P the inverses of the covariances,
//
//   0 = log p(x, a) - log p(x, b) = x' Q x + l . x + c,
//   Q = -(P_a - P_b) / 2,  l = P_a mu_a - P_b mu_b,
//   c = log p(a) - log p(b) + (log det P_a - log det P_b - mu_a' P_a mu_a + mu_b' P_b mu_b) / 2:
//
// of one feature 0, 1 or 2 points, of two any conic; with one covariance Q = 0, a point or a line.

namespace craton {

// Of every two classes that have a probability, the lower one first. InputError (kNotAble) for more
// than two features.
std::vector<Boundary> find_boundaries(const GaussianClasses& gaussians);

}  // namespace craton
