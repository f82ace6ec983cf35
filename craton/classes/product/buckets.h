#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/matrix.h"

// Where to cut a column of numbers into buckets. Missing values (NaN) are left aside; cuts ascend,
// lie inside the range of the values, and may be fewer than were asked for.

namespace craton {

std::vector<double> equal_width_cuts(double low, double high, Index buckets);

// As nearly the same weight in each as ties allow.
std::vector<double> equal_frequency_cuts(std::span<const double> values,
                                         std::span<const double> weights, Index buckets);

// Cuts where the labels change: each lowers the entropy of the labels most, and is worth its
// description length (Fayyad, Irani, "Multi-interval discretization of continuous-valued attributes
// for classification learning", IJCAI 1993). A label of -1 leaves its row aside.
std::vector<double> label_cuts(std::span<const double> values, std::span<const double> weights,
                               std::span<const std::int32_t> labels, Index classes);

}  // namespace craton
