#pragma once
#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/engine/em.h"
#include "craton/tables/columns.h"

namespace craton {

bool triangular(const GaussianMixture::Options& options);  // full or tied
// Of the parameter, for d columns: k x d x d, 1 x d x d, k x d or k.
std::vector<Index> covariance_shape(const GaussianMixture::Options& options, Index d);

// Everything that is given has the shape its parameter has, and makes sense; tables from files are
// brought into that shape. InputError names the option otherwise.
void check_given(GaussianMixture::Options& options, Index d);

// The inverses of precisions_init, in the shape of the parameter.
Array given_covariances(const GaussianMixture::Options& options, Index d);

// When EM stops, and what it may lose by rounding.
EmOptions em_options(const GaussianMixture::Options& options, const ColumnStatistics& columns);

// A model to go on from has as many components, and covariances of the same shape.
void check_shape_of(const GaussianMixture& model, const GaussianMixture::Options& options);

// The data have rows enough, and spread in every column that needs it.
void check_data(const Source& x, const ColumnStatistics& columns,
                const GaussianMixture::Options& options);

}  // namespace craton
