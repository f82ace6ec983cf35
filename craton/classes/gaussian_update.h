#pragma once
#include <vector>

#include "craton/classes/gaussian_block.h"
#include "craton/core/schema.h"

// The M-step of a Gaussian mixture.

namespace craton {

class GaussianUpdate {
 public:
  // variance: of the columns, the unit of the floor.
  GaussianUpdate(const GaussianMixture::Options& options, std::vector<double> variance);

  // Returns the largest change of a weight, of a mean (in standard deviations) or of a variance
  // (relative); 0 when nothing changed at all.
  double operator()(GaussianMixture& model, const GaussianMixture::Statistics& statistics);

  // Holds one covariance (d x d, or d) above the floor, or adds reg_covar.
  void regularise(Index component, std::span<double> covariance);

  // What the last call had to do, for the report.
  std::vector<Note> notes(const Schema& schema) const;

 private:
  struct Floored {
    Index component, column;
    double eigenvalue;  // in units of the column's variance
  };
  void clip_full(Index component, std::span<double> covariance);
  void clip_diagonal(Index component, std::span<double> covariance);

  const GaussianMixture::Options& options_;
  std::vector<double> variance_;
  std::vector<Floored> floored_;
  std::vector<Index> empty_;
};

}  // namespace craton
