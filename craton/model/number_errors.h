#pragma once
#include <span>
#include <vector>

#include "craton/engine/exec.h"
#include "craton/model/any_model.h"

// How near predicted numbers f come to the targets y of rows of weight w, with e = y - f:
//
//   R^2 = 1 - sum w e^2 / sum w (y - mean y)^2,   sum w e^2 / sum w,   sum w |e| / sum w
//
// Where all targets are the same, R^2 is 1 if all errors are 0, and 0 otherwise.

namespace craton {

struct NumberErrors {
  double weight = 0, squared = 0, absolute = 0;  // sums: of the weights, of w e^2 and of w |e|
  double scatter = 0;                            // sum w (y - mean y)^2

  double r2() const;
  std::vector<Measure> measures() const;  // R^2 first
};

// requires a number for each row. InputError (kBadTarget) where targets are missing, kBadWeight
// where no row has a weight, kNotFinite where squares overflow.
NumberErrors number_errors(Source& x, std::span<const double> predicted, const Exec& exec);

}  // namespace craton
