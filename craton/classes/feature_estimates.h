#pragma once
#include "craton/classes/class_statistics.h"

// From the statistics of each class to the parameters of its features.

namespace craton {

struct Smoothing {
  double alpha = 1;             // rows of each category, bucket or outcome, added to every class
  double prior_rows = 1;        // of other families: so many rows of the whole column
  double var_smoothing = 1e-9;  // least variance, in units of the column's
};

// By feature, then by class. A class without values of a feature gets the estimate of the column;
// a column without values, one of a value 0 or 1. InputError (kNotFinite) where an estimate
// overflows.
std::vector<Parameters> estimate_features(std::span<const Feature> features,
                                          const ClassStatistics& statistics,
                                          const Smoothing& smoothing);

}  // namespace craton
