#pragma once
#include <vector>

#include "craton/base/schema.h"
#include "craton/classes/gaussian_mixture/gaussian_block.h"
#include "craton/classes/gaussian_mixture/gaussian_floor.h"
#include "craton/classes/gaussian_mixture/gaussian_prior.h"

// The M-step of a Gaussian mixture.

namespace craton {

class GaussianUpdate {
 public:
  // Borrows the options.
  GaussianUpdate(const GaussianMixture::Options& options, const ColumnStatistics& columns);

  // Returns the largest change of a weight, of a mean (in standard deviations) or of a variance
  // (relative); 0 when nothing changed at all.
  double operator()(GaussianMixture& model, const GaussianMixture::Statistics& statistics);

  // E_q[log p(x, z | model)] + log p(model), mean a row, of the last call's model and the q of its
  // statistics.
  double expected() const { return expected_; }
  const GaussianPrior& prior() const { return prior_; }

  // Whether the last call had to raise a covariance to the floor, or found a component empty.
  bool forced() const { return !floor_.untouched() || !empty_.empty(); }
  // What it had to do, for the report.
  std::vector<Note> notes(const Schema& schema) const;

 private:
  // The moments of all rows that one covariance describes, about the new means.
  struct Moments {
    double weight = 0;
    Index components = 0;
    std::vector<double> scatter;  // of the rows: d x d, or its diagonal
    std::vector<double> pseudo;   // of the prior's rows
    std::vector<double> jump;     // the largest squared move of a mean, by column
  };
  double move_means(GaussianMixture& model, const GaussianMixture::Statistics& statistics,
                    std::vector<Moments>& moments);
  double set_covariance(GaussianMixture& model, std::size_t covariance, const Moments& moments);

  const GaussianMixture::Options& options_;
  GaussianPrior prior_;
  GaussianFloor floor_;
  double expected_ = 0;
  std::vector<Index> empty_;
};

}  // namespace craton
