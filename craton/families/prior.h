#pragma once
#include "craton/families/family.h"

// Priors, by the names that people know them by. Each is rows that nobody saw (see Prior); an
// estimate with them is the posterior mode under the conjugate prior that is named.
//
// Hyperparameters below 1 make counts below 0: then the mode may lie at an end, where estimates
// stay.

namespace craton {

// Rows of these values.
Prior pseudo_rows(const Family& family, std::span<const double> values,
                  std::span<const double> weights, Index levels = 0);

// alpha more of each outcome of a Bernoulli or categorical family: Lidstone's rule. Laplace's rule
// is alpha = 1. Jeffreys' is alpha = 1/2: the posterior mean under his prior. It is the mode under
// Beta(1 + alpha, 1 + alpha), or the Dirichlet of these.
Prior lidstone(const Family& family, double alpha, Index levels = 2);
inline Prior laplace(const Family& family, Index levels = 2) { return lidstone(family, 1, levels); }
inline Prior jeffreys(const Family& family, Index levels = 2) {
  return lidstone(family, 0.5, levels);
}

// m rows with mean p: of Bernoulli, binomial, geometric, Poisson and exponential families.
Prior m_estimate(double p, double m);
// m rows of which a share p[k] has code k; and the shorthand p = 1 / levels, m = levels.
Prior m_estimate(std::span<const double> p, double m);
Prior m_estimate(Index levels);

// p ~ Beta(a, b), for one number of trials or p of the geometric family.
Prior beta_prior(double a, double b, double trials = 1);
Prior beta_prior_geometric(double a, double b);
// rate ~ Gamma(a, rate b), of the Poisson and of the exponential family.
Prior gamma_prior_poisson(double a, double b);
Prior gamma_prior_exponential(double a, double b);
Prior dirichlet_prior(std::span<const double> alpha);  // of the categorical family
// mean ~ N(mean0, variance0), where the Gaussian's own variance is known.
Prior normal_prior(double mean0, double variance0, double known_variance);
// variance ~ InverseGamma(alpha, beta), mean ~ N(mean0, variance / kappa); the mode is that of both
// together.
Prior normal_inverse_gamma(double mean0, double kappa, double alpha, double beta);

}  // namespace craton
