#include "craton/classes/gaussian_mixture/gaussian_prior.h"

#include <cmath>

namespace craton {

GaussianPrior::GaussianPrior(const GaussianMixture::Options& o, const ColumnStatistics& columns)
    : given_(o.prior == GaussianMixture::Prior::kConjugate),
      kappa_(o.mean_precision_prior),
      degrees_(o.degrees_of_freedom_prior),
      mean_(o.mean_prior.empty() ? columns.mean() : o.mean_prior.values) {
  const bool triangular = o.covariance_type == GaussianMixture::Covariance::kFull ||
                          o.covariance_type == GaussianMixture::Covariance::kTied;
  const std::size_t d = mean_.size(), step = triangular ? d + 1 : 1;
  scatter_.resize(triangular ? d * d : d);
  if (!given_) return;
  if (degrees_ == 0) degrees_ = static_cast<double>(d) + 2;
  const std::vector<double>& psi = o.covariance_prior.values;
  if (psi.size() == scatter_.size()) {
    scatter_ = psi;
    return;
  }
  // One number stands for a multiple of the identity, nothing for the columns' variances.
  const double share = std::pow(static_cast<double>(o.n_components), -2 / static_cast<double>(d));
  const std::vector<double> variance = columns.variance();
  for (std::size_t j = 0; j < d; ++j) {
    scatter_[j * step] = psi.empty() ? share * variance[j] : psi[0];
  }
}

double GaussianPrior::divisor(Index components) const {
  const double d = static_cast<double>(mean_.size());
  return given_ ? degrees_ + d + 1 + static_cast<double>(components) : 0;
}

double GaussianPrior::log_density(const GaussianMixture& model) const {
  if (!given_) return 0;
  const std::size_t d = mean_.size(), size = scatter_.size(), k = usize(model.classes());
  const std::size_t covariances = usize(model.covariances_.rows());
  double result = 0;
  for (std::size_t f = 0; f < covariances; ++f) {
    const std::span<const double> a = std::span(model.whiten_).subspan(f * size, size);
    double log_determinant = 0;  // of Sigma^-1
    for (std::size_t j = 0; j < d; ++j) {
      log_determinant += 2 * std::log(a[size > d ? j * d + j : j]);
    }
    std::vector<double> scatter = scatter_;
    for (std::size_t c = 0; c < k; ++c) {
      if (model.covariance_of(c) != f) continue;
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = size > d ? i / d : i, column = i % d;
        scatter[i] += kappa_ * (model.means_.values[c * d + row] - mean_[row]) *
                      (model.means_.values[c * d + column] - mean_[column]);
      }
    }
    const double sharers = covariances == 1 ? static_cast<double>(k) : 1;
    result += 0.5 * divisor(static_cast<Index>(sharers)) * log_determinant -
              0.5 * whitened_trace(a, scatter, d);
  }
  return result;
}

double whitened_trace(std::span<const double> a, std::span<const double> m, std::size_t d) {
  double trace = 0;
  if (a.size() == d) {
    for (std::size_t j = 0; j < d; ++j) trace += a[j] * m[j] * a[j];
    return trace;
  }
  for (std::size_t i = 0; i < d; ++i) {
    const double* row = &a[i * d];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t l = 0; l <= i; ++l) sum += m[j * d + l] * row[l];
      trace += row[j] * sum;
    }
  }
  return trace;
}

}  // namespace craton
