#pragma once
#include <span>
#include <vector>

#include "craton/classes/gaussian_mixture/gaussian_mixture.h"
#include "craton/tables/columns.h"

// The conjugate prior of a Gaussian, normal-inverse-Wishart with kappa rows at m
// (mean_precision_prior, mean_prior), scale Psi and nu degrees of freedom:
//
//   log p(mu, Sigma) = - (nu + d + 2) / 2 log|Sigma| - tr(Psi Sigma^-1) / 2
//                      - kappa / 2 (mu - m)' Sigma^-1 (mu - m) + constant
//
// EM with the M-step below climbs log-likelihood + log p (Fraley and Raftery, "Bayesian
// regularization for normal mixture estimation and model-based clustering", 2007). Their defaults:
// m the mean of the data, kappa = 0.01, nu = d + 2, Psi = the columns' variances / k^(2/d). Shared
// and simpler covariances take the same prior, restricted to their family.

namespace craton {

class GaussianPrior {
 public:
  // requires arrays of the right shape, as check_given() leaves them.
  GaussianPrior(const GaussianMixture::Options& options, const ColumnStatistics& columns);

  bool given() const { return given_; }
  double rows() const { return given_ ? kappa_ : 0; }  // kappa: the mean's weight in rows
  const std::vector<double>& mean() const { return mean_; }
  // What it adds to the divisor of a covariance that `components` share.
  double divisor(Index components) const;
  // Psi, d x d or its diagonal; zeros without a prior.
  const std::vector<double>& scatter() const { return scatter_; }
  // The sum over the components, without the constant; 0 without a prior.
  double log_density(const GaussianMixture& model) const;

 private:
  bool given_;
  double kappa_, degrees_;
  std::vector<double> mean_, scatter_;
};

// tr(A M A') for a lower triangular A and a symmetric M (both d x d), or both diagonal (d).
double whitened_trace(std::span<const double> a, std::span<const double> m, std::size_t d);

}  // namespace craton
