#include <algorithm>
#include <cmath>

#include "craton/classes/gaussian_classes.h"
#include "craton/kernels/gaussian_row.h"
#include "craton/kernels/linear_scores.h"

// One row by itself, as gaussian_classes.cc has blocks of them.

namespace craton {
namespace {

// What check_scores() asks of a row.
bool sound(std::span<const double> scores) {
  double best = scores[0];
  bool numbers = true;
  for (const double v : scores) {
    best = v > best ? v : best;
    numbers = numbers && v == v;
  }
  return numbers && std::isfinite(best);
}

}  // namespace

bool GaussianClasses::joint_row(const double* row, double* work, std::span<double> out) const {
  if (diagonal_) return diagonal_->find_row(row, out);
  if (shared_) {
    if (!scores_row(row, work, out)) return false;
    const double density =
        full_log_density(row, centre_.data(), packed_.data(), constant_[0], d_, work);
    for (double& v : out) v += density;
    return sound(out);
  }
  for (std::size_t c = 0; c < k_; ++c) {
    out[c] = full_log_density(row, &means_.values[c * d_], &packed_[c * packed_size(d_)],
                              constant_[c] + log_prior_.values[c], d_, work);
  }
  return sound(out);
}

bool GaussianClasses::scores_row(const double* row, double* work, std::span<double> out) const {
  if (diagonal_ || !shared_) return joint_row(row, work, out);
  double *const apart = work, *const scores = work + d_;
  for (std::size_t j = 0; j < d_; ++j) apart[j] = row[j] - centre_[j];
  std::copy(start_.begin(), start_.end(), scores);
  add_scores(static_cast<const double*>(apart), all_columns_.data(), columns(), columns(),
             weights_.data(), ssize(start_), scores);
  std::copy_n(scores, k_, out.begin());
  return sound(out);
}

}  // namespace craton
