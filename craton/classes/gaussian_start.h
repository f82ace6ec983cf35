#pragma once
#include "craton/classes/gaussian_update.h"

namespace craton {

// The first mixture of EM. Means come from k-means, k-means++ or random rows of the standardised
// columns (so that units do not matter; balls have one unit for all columns). Rows go to the
// nearest of them, and one M-step makes the mixture; what is given wins.
GaussianMixture start_gaussian(Source& x, const GaussianMixture::Options& options,
                               const ColumnStatistics& columns, GaussianUpdate& update, Index trial,
                               const Exec& exec);

// A model to go on from; known weights and covariances win.
GaussianMixture start_from(const GaussianMixture& model, const GaussianMixture::Options& options);

}  // namespace craton
