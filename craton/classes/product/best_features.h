#pragma once
#include "craton/classes/labelled_sample.h"
#include "craton/classes/product/feature_estimates.h"

// The best of several candidates for each column (feature_choice.h says what that is).

namespace craton {

// requires the candidates of a column to lie together, buckets last.
std::vector<Feature> best_features(const std::vector<Feature>& candidates,
                                   const LabelledSample& sample, const Schema& schema,
                                   const Smoothing& smoothing, const Exec& exec);

}  // namespace craton
