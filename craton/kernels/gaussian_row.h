#pragma once
#include "craton/kernels/gaussian.h"

// The densities of gaussian.h for one row, to the same bits.

namespace craton {

// `work` has d places.
double full_log_density(const double* row, const double* mean, const double* packed,
                        double constant, std::size_t d, double* work);
double diagonal_log_density(const double* row, const double* mean, const double* scale,
                            double constant, std::size_t d);

}  // namespace craton
