#pragma once
#include <span>

#include "craton/classes/product/feature.h"

// Where the values of a feature lie, and how likely they are by their statistics alone.

namespace craton {

// Near what the classes expect of a family that moves, in units of how far that spreads; x itself
// for one that does not. `weights`: of the classes, whose sum is 1.
Coordinate coordinate_of(const Family& family, std::span<const double> weights,
                         std::span<const Parameters> parameters);

// sum_i w_i log p(x_i | parameters) of the values that the statistics are of; for families of terms
// (families/terms.h) whose h(x) varies, without sum_i w_i log h(z_i), z being x in that coordinate.
double expected_log_density(const Feature& feature, const Statistics& statistics,
                            const Parameters& parameters, const Coordinate& at);

}  // namespace craton
