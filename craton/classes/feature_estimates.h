#pragma once
#include "craton/classes/class_statistics.h"

// From the statistics of each class to the parameters of its features.

namespace craton {

struct Smoothing {
  double alpha = 1;             // rows of each category, bucket or outcome, added to every class
  double prior_rows = 1;        // of other families: so many rows of the whole column
  double var_smoothing = 1e-9;  // least variance, in units of the column's
};

// One feature, from its statistics over the rows of a class.
class FeatureEstimator {
 public:
  // `column`: over all classes. A column without values stands for a few of them.
  FeatureEstimator(const Feature& feature, Statistics column, const Smoothing& smoothing);

  // A class without values gets the estimate of the column. InputError (kNotFinite) where an
  // estimate overflows.
  Parameters estimate(const Statistics& of_class) const;
  // What the rows of the prior add to the log-likelihood, beside what they add at best: the
  // estimates maximise the sum.
  double log_prior(const Parameters& parameters) const;

 private:
  bool outcomes() const;
  double without_constant(const Parameters& parameters) const;
  Feature feature_;
  const Family* family_;
  Index column_, levels_;
  Coordinate at_ = {};
  double top_ = 0;
  double alpha_;
  Statistics all_;
  Estimation how_;
};

// By feature, then by class.
std::vector<Parameters> estimate_features(std::span<const Feature> features,
                                          const ClassStatistics& statistics,
                                          const Smoothing& smoothing);

}  // namespace craton
