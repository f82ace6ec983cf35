#include <algorithm>
#include <cmath>

#include "craton/classes/gaussian_mixture.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/gaussian_row.h"
#include "craton/kernels/special.h"

// One row by itself: k d^2 / 2 multiply-adds, and the formulas of gaussian_mixture.cc.

namespace craton {

std::int32_t GaussianMixture::find_joint(const double* row, double* work, double* joint) const {
  const std::size_t k = usize(classes()), d = usize(columns());
  std::size_t best = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const std::size_t f = covariance_of(c);
    const double* const mean = &means_.values[c * d];
    joint[c] = triangular() ? full_log_density(row, mean, &packed_[f * packed_size(d)],
                                               constant_[c], d, work)
                            : diagonal_log_density(row, mean, &whiten_[f * d], constant_[c], d);
    if (joint[c] > joint[best]) best = c;  // the lower index on ties
  }
  return std::isfinite(joint[best]) ? static_cast<std::int32_t>(best) : -1;
}

std::int32_t GaussianMixture::predict_row(const double* row, double* work) const {
  return find_joint(row, work + classes(), work);
}

bool GaussianMixture::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::size_t k = usize(classes());
  const std::int32_t best = find_joint(row, work, out);
  if (best < 0) return false;
  const double top = out[best];
  double sum = 0;
  for (std::size_t c = 0; c < k; ++c) {
    out[c] -= top;
    sum += std::exp(out[c]);
  }
  const double log_sum = std::log(sum);
  for (std::size_t c = 0; c < k; ++c) out[c] -= log_sum;
  return true;
}

double GaussianMixture::score_row(const double* row, double* work) const {
  constexpr std::size_t kRows = 8;
  const std::size_t k = usize(classes());
  double* const table = work + k;
  if (find_joint(row, table, work) < 0) return NAN;
  for (std::size_t c = 0; c < k; ++c) std::fill_n(table + c * kRows, kRows, work[c]);
  double log_density[kRows], entropy[kRows];
  softmax_columns(table, k, kRows, kRows, log_density, entropy);
  return log_density[0];
}

// With z = L^-1 (x - m), log N(x | m, L L') is the sum over j of log N(z_j | 0, 1) - log L_jj, and
// its first j terms are the density of the first j columns.
void GaussianMixture::contributions(const Chunk& chunk, Index row, Index label,
                                    std::span<double> out) const {
  const std::size_t c = usize(label), d = usize(columns()), f = covariance_of(c);
  const double* const mean = &means_.values[c * d];
  std::vector<double> apart(d);
  std::visit([&](const auto& x) { copy_row(x, row, apart.data()); }, chunk.x);
  for (std::size_t j = 0; j < d; ++j) apart[j] -= mean[j];
  out[0] = std::log(weights_.values[c]);
  for (std::size_t j = 0; j < d; ++j) {
    const double* const w = triangular() ? &whiten_[(f * d + j) * d] : &whiten_[f * d];
    double z = w[j] * apart[j];
    for (std::size_t i = 0; triangular() && i < j; ++i) z += w[i] * apart[i];
    out[j + 1] = std::log(w[j]) - kHalfLogTwoPi - z * z / 2;
  }
}

}  // namespace craton
