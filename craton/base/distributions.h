#pragma once
#include <span>

#include "craton/base/random.h"

// Draws from the distributions that have no short inverse. Like Random they are our own, the same
// on every machine, and good for all parameters: shapes from 1e-3 to 1e6 and beyond, means of
// counts up to 1e15.

namespace craton {

double draw_exponential(Random& random);  // of mean 1
// Gamma of scale 1, and its logarithm: shapes below 0.01 give values that no double holds, and
// draw_gamma then returns the least positive one.
double draw_gamma(Random& random, double shape);
double draw_log_gamma(Random& random, double shape);
double draw_beta(Random& random, double a, double b);  // inside (0, 1)
// A point of the simplex, of the size of alpha.
void draw_dirichlet(Random& random, std::span<const double> alpha, std::span<double> out);
double draw_student_t(Random& random, double degrees);
double draw_von_mises(Random& random, double concentration);  // about 0, in [-pi, pi]

// Counts, as doubles.
double draw_poisson(Random& random, double mean);
double draw_binomial(Random& random, double trials, double p);
double draw_geometric(Random& random, double p);  // failures before the first success
double draw_negative_binomial(Random& random, double mean, double size);
void draw_multinomial(Random& random, double trials, std::span<const double> p,
                      std::span<double> out);

}  // namespace craton
