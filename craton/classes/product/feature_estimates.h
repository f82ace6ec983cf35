#pragma once
#include "craton/classes/product/class_statistics.h"
#include "craton/families/bandwidth.h"

// From the statistics of each class to the parameters of its features.

namespace craton {

struct Smoothing {
  double alpha = 1;             // rows of each category, bucket or outcome, added to every class
  double prior_rows = 1;        // of other families: so many rows of the whole column; see below
  double var_smoothing = 1e-9;  // least variance, in units of the column's
  Bandwidth bandwidth = {};     // of kernels
};

// The variance within classes beside that of the whole column: with S_c the summed squares of the
// rows of class c about their mean, S those of all n rows, and k classes that have rows,
//
//   min(1, (sum_c S_c / (n - k)) / (S / (n - 1)))
//
// Rows of the prior count so much: else the distance between classes would widen each of them. 1
// where no class has a spread, and for families whose spread goes with their mean.
double spread_within(const Feature& feature, const ClassStatistics& seen, std::size_t f);

// One feature, from its statistics over the rows of a class.
class FeatureEstimator {
 public:
  // `column`: over all classes. A column without values stands for a few of them. `within`: see
  // spread_within(); 1 where classes are not known.
  FeatureEstimator(const Feature& feature, Statistics column, const Smoothing& smoothing,
                   double within = 1);

  // A class without values gets the estimate of the column, and kernels of a class to whose values
  // a rule gives no bandwidth get that of the column. InputError (kNotFinite) where an estimate
  // overflows. `notes` gains what is worth telling; may be null.
  Parameters estimate(const Statistics& of_class, std::vector<Note>* notes = nullptr) const;
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

// By feature, then by class. `notes` gains what is worth telling of columns and classes, which are
// called as in the schema.
std::vector<Parameters> estimate_features(std::span<const Feature> features,
                                          const ClassStatistics& statistics,
                                          const Smoothing& smoothing,
                                          std::vector<Note>* notes = nullptr,
                                          const Schema& schema = {});

}  // namespace craton
