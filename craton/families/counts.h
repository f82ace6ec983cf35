#pragma once
#include "craton/base/function_ref.h"

// Sums over 0, 1, 2, ... under a distribution of counts.

namespace craton {

// The counts outside [low, high] are all but impossible; `deviation` is the width on which the
// probabilities change.
struct CountWindow {
  double low, high, deviation;
};

// sum_k f(k) over the window, to about 1e-12 relative for smooth f: one by one at the lower end and
// where the window is short, else by Gauss and Legendre's rule on pieces that grow to the
// deviation.
double sum_counts(FunctionRef<double(double)> f, const CountWindow& window);

// -sum_k P(k) log P(k).
double count_entropy(FunctionRef<double(double)> log_density, const CountWindow& window);

// integral of f from a to b, 20 points.
double integrate(FunctionRef<double(double)> f, double a, double b);

}  // namespace craton
