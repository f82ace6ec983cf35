#pragma once
#include <memory>
#include <span>

#include "craton/classes/class_prior.h"
#include "craton/classes/counts/count_leave_one_out.h"
#include "craton/classes/product/bag.h"
#include "craton/classes/product/feature_estimates.h"

// The scores of a row of mixed columns under the model of all other rows: its values are taken from
// the statistics of its class, which are estimated anew. A row of weight w is w copies of it, of
// which one is left out (all of it, if w is below 1). What the whole column adds to every class
// stays. Kernels lose that of the row, and keep their bandwidth; the other families that keep every
// value, or the ends of a range, stay as they are.

namespace craton {

class ProductLeaveOneOut {
 public:
  // Borrows all but the smoothing. `bag`: of rows with terms, which count_leave_one_out.h leaves
  // out.
  ProductLeaveOneOut(const ClassStatistics& seen, const FeatureScores& scores,
                     const std::optional<Bag>& bag, const Smoothing& smoothing,
                     const ClassPrior& prior);

  // Row after row; rows without a label, as the model of all rows scores them.
  void find(const Chunk& chunk, std::span<double> out) const;

 private:
  // What log p(value | c) of feature f changes by when the value is left out of class c.
  double change(std::size_t f, std::size_t c, double value, double weight) const;

  const ClassStatistics& seen_;
  const FeatureScores& scores_;
  const ClassPrior& prior_;
  double alpha_;
  std::vector<FeatureEstimator> estimators_;
  std::vector<double> log_prior_;

  struct Terms {
    FeatureSums sums;
    Alphas alphas;
    ClassPrior alike;
    CountScores scores;
    std::unique_ptr<LeaveOneOut> left_out;  // borrows the others
  };
  std::unique_ptr<Terms> terms_;
};

// One more than the values of each row that are there, and its terms: its length (calibration.h).
void count_values(const Chunk& chunk, std::span<double> out);

}  // namespace craton
