#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/schema.h"
#include "craton/classes/gaussian_mixture/gaussian_mixture.h"

namespace craton {

// Keeps covariances away from singular: no eigenvalue, in units of the columns' standard
// deviations, below covariance_floor (all columns have one unit when the covariance is spherical);
// or reg_covar added to the diagonal.
class GaussianFloor {
 public:
  // variance: of the columns.
  GaussianFloor(const GaussianMixture::Options& options, std::vector<double> variance);

  // One covariance: d x d, d, or 1 number.
  void apply(Index component, std::span<double> covariance);
  double least(std::size_t column) const;  // variance that apply() lets pass

  struct Floored {
    Index component, column;
    double eigenvalue;  // in units of the column's variance
  };
  const std::vector<Floored>& floored() const { return floored_; }  // since clear()

  void clear() { floored_.clear(); }
  bool untouched() const { return floored_.empty(); }  // since clear()
  // What apply() did since clear(): the worst direction, its component and column.
  std::vector<Note> notes(const Schema& schema) const;

 private:
  void clip_full(Index component, std::span<double> covariance);
  void clip_diagonal(Index component, std::span<double> covariance);

  GaussianMixture::Covariance type_;
  double floor_, reg_covar_;
  std::vector<double> variance_;
  std::vector<Floored> floored_;
};

}  // namespace craton
