#pragma once
#include <span>

#include "craton/base/matrix.h"

// How near predicted numbers come. With e_i = y_i - f_i, means over the rows, by weight:
//
//   squared error, absolute error   e^2, |e|;  and the median of |e|
//   pinball loss of level alpha     alpha e where e >= 0, (alpha - 1) e elsewhere
//   R^2                             1 - sum e^2 / sum (y - mean y)^2

namespace craton {

struct NumberPairs {
  std::span<const double> truth, predicted;
  std::span<const double> weights = {};
};

double mean_squared_error(const NumberPairs& rows);
double mean_absolute_error(const NumberPairs& rows);
double mean_pinball_loss(const NumberPairs& rows, double alpha);
// The least m with half of the weight at or below it; the mean of it and the next when exactly half
// is.
double median_absolute_error(const NumberPairs& rows);

struct Explained {
  double squared_errors, squares;  // sums: of e, and of y about its mean
  double r2() const;               // where all y are the same: 1 if all e are 0, else 0
};
Explained explained(const NumberPairs& rows);

}  // namespace craton
