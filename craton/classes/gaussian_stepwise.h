#pragma once
#include <optional>

#include "craton/classes/gaussian_update.h"

// A Gaussian mixture that learns on, one batch after the other, by stepwise EM (Cappé and Moulines,
// "On-line expectation-maximization algorithm for latent data models", 2009): the t-th batch moves
// the statistics, per row, by a step towards its own,
//
//   s <- (1 - eta_t) s + eta_t s_batch,   eta_t = t^-power,
//
// and an M-step follows. Power 1 weighs all batches of one size alike; below 1 the past fades, and
// with it the responsibilities of early, poor models.

namespace craton {

class StepwiseGaussian {
 public:
  static constexpr double kPower = 0.7;  // between 1/2 and 1: converges

  // Learns on from a model. columns: of the data so far, the units of the floor and of the prior.
  // Borrows the options; those of the start and of convergence do not matter.
  StepwiseGaussian(GaussianMixture model, const GaussianMixture::Options& options,
                   const ColumnStatistics& columns, double power = kPower);

  // One batch, once. Returns its mean log-likelihood under the model so far.
  double learn(Source& batch, const Exec& exec);

  const GaussianMixture& model() const { return model_; }
  double rows() const { return rows_; }  // the weight of all batches

 private:
  GaussianMixture model_;
  GaussianUpdate update_;
  GaussianMixture::Assignment assignment_;
  double power_, rows_ = 0;
  Index batches_ = 0;
  std::optional<GaussianMixture::Statistics> memory_;  // about the means of model_
};

}  // namespace craton
