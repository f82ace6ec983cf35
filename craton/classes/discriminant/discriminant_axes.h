#pragma once
#include "craton/classes/discriminant/gaussian_classes.h"

namespace craton {

// Fisher's axes (discriminant.h): columns x axes, and the share of each in the spread of the class
// means. At most `most` of them (0: all), and none whose spread is less than tol of the first's.
// Of each column of v the entry that is largest in units of the columns' standard deviations is
// above 0. requires one covariance.
struct DiscriminantAxes {
  Array scalings, explained_variance_ratio;
};
DiscriminantAxes find_axes(const GaussianClasses& gaussians, Index most, double tol);

}  // namespace craton
