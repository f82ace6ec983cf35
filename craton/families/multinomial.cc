#include "craton/families/multinomial.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/distributions.h"
#include "craton/families/binomial.h"
#include "craton/families/categorical.h"
#include "craton/kernels/special.h"

namespace craton {

bool Multinomial::valid() const {
  return holds(Support::kCounts, trials) && !p.empty() && Categorical{p}.valid();
}

// Stirling's formula and deviances, as for the binomial: no large terms cancel.
double Multinomial::log_density(std::span<const double> x) const {
  CRATON_ASSERT(x.size() == p.size());
  if (std::accumulate(x.begin(), x.end(), 0.0) != trials) return -INFINITY;
  if (trials == 0) return 0;
  double sum = binet(trials) + 0.5 * std::log(trials) + kHalfLogTwoPi;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!holds(Support::kCounts, x[k])) return -INFINITY;
    sum -= deviance(x[k], trials * p[k]);
    if (x[k] > 0) sum -= binet(x[k]) + 0.5 * std::log(x[k]) + kHalfLogTwoPi;
  }
  return sum;
}

std::vector<double> Multinomial::mean() const {
  std::vector<double> result(p.begin(), p.end());
  for (double& v : result) v *= trials;
  return result;
}

std::vector<double> Multinomial::covariance() const {
  std::vector<double> result;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      result.push_back(trials * (i == j ? p[i] * (1 - p[i]) : -p[i] * p[j]));
    }
  }
  return result;
}

// -log n! - n sum p log p + sum_k E log x_k!, where x_k is binomial.
double Multinomial::entropy() const {
  double sum = trials * Categorical{p}.entropy() - log_gamma(trials + 1);
  for (const double share : p) {
    const Binomial one{trials, share};
    for (double x = 2; x <= trials; ++x) sum += std::exp(one.log_density(x)) * log_gamma(x + 1);
  }
  return sum;
}

void Multinomial::sample(Random& random, std::span<double> x) const {
  draw_multinomial(random, trials, p, x);
}

double Multinomial::log_base(std::span<const double> x) const {
  double sum = log_gamma(trials + 1);
  for (const double count : x) sum -= log_gamma(count + 1);
  return sum;
}

void add_counts(Counts& to, std::span<const double> row, double weight) {
  CRATON_ASSERT(row.size() == to.counts.size());
  for (std::size_t k = 0; k < row.size(); ++k) {
    to.counts[k] += weight * row[k];
    to.weight += weight * row[k];
  }
}

}  // namespace craton
