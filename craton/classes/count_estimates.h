#pragma once
#include <span>
#include <vector>

#include "craton/classes/feature_sums.h"

// What the models of count_bayes.h make of the sums of their features; tables of classes x columns.

namespace craton {

// What is added to the count of each feature: one alpha for all, or those given. InputError for a
// wrong number of them, or one below 0.
std::vector<double> feature_alphas(double alpha, const Array& given, Index columns);

Array multinomial_estimate(const FeatureSums& sums, std::span<const double> alpha);  // log p_cj
Array bernoulli_estimate(const FeatureSums& sums, std::span<const double> alpha);    // log p_cj
Array complement_weights(const FeatureSums& sums, std::span<const double> alpha, bool norm);

}  // namespace craton
