#include "craton/families/prior.h"

#include <numeric>

namespace craton {
namespace {

// `rows` rows whose values sum to `total`.
Prior rows_of_sum(double rows, double total) { return {Moments{rows, 0, total, 0}}; }

Prior counts_of(std::vector<double> counts) {
  const double rows = std::accumulate(counts.begin(), counts.end(), 0.0);
  return {Counts{rows, std::move(counts)}};
}

}  // namespace

Prior pseudo_rows(const Family& family, std::span<const double> values,
                  std::span<const double> weights, Index levels) {
  Statistics rows = family.empty(levels);
  family.accumulate(values, weights, rows);
  return {std::move(rows)};
}

Prior lidstone(const Family& family, double alpha, Index levels) {
  const Support support = family.info().support;
  CRATON_ASSERT(support == Support::kBinary || support == Support::kCategory);
  if (support == Support::kBinary) return rows_of_sum(2 * alpha, alpha);
  return counts_of(std::vector<double>(usize(levels), alpha));
}

Prior m_estimate(double p, double m) { return {Moments{m, p, 0, 0}}; }

Prior m_estimate(std::span<const double> p, double m) {
  std::vector<double> counts(p.begin(), p.end());
  for (double& count : counts) count *= m;
  return counts_of(std::move(counts));
}

Prior m_estimate(Index levels) { return counts_of(std::vector<double>(usize(levels), 1.0)); }

// p^(a - 1) (1 - p)^(b - 1): a - 1 successes and b - 1 failures.
Prior beta_prior(double a, double b, double trials) {
  return rows_of_sum((a + b - 2) / trials, a - 1);
}

// Every row ends in one success: p^n (1 - p)^(sum x).
Prior beta_prior_geometric(double a, double b) { return rows_of_sum(a - 1, b - 1); }

// rate^(a - 1) exp(-b rate); Poisson rows have rate^(sum x) exp(-n rate).
Prior gamma_prior_poisson(double a, double b) { return rows_of_sum(b, a - 1); }

// Exponential rows have rate^n exp(-rate sum x).
Prior gamma_prior_exponential(double a, double b) { return rows_of_sum(a - 1, b); }

Prior dirichlet_prior(std::span<const double> alpha) {
  std::vector<double> counts(alpha.begin(), alpha.end());
  for (double& count : counts) count -= 1;
  return counts_of(std::move(counts));
}

Prior normal_prior(double mean0, double variance0, double known_variance) {
  return {Moments{known_variance / variance0, mean0, 0, 0}};
}

// The density of both is (variance)^-(alpha + 3/2) exp(-(2 beta + kappa (mean - mean0)^2) / (2
// variance)); n rows have (variance)^(-n / 2).
Prior normal_inverse_gamma(double mean0, double kappa, double alpha, double beta) {
  return {Moments{kappa, mean0, 0, 2 * beta}, 2 * alpha + 3 - kappa};
}

}  // namespace craton
