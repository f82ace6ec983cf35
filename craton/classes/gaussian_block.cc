#include "craton/classes/gaussian_block.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/exp_log.h"

namespace craton {

GaussianBlock::GaussianBlock(const GaussianMixture& model)
    : model_(model),
      k_(usize(model.classes())),
      d_(usize(model.columns())),
      x_(d_ * kRows),
      by_row_(d_ < kWideRows ? 0 : by_row_size(d_)),
      work_(work_size(d_)),
      joint_(k_ * kRows) {}

template <class T>
void GaussianBlock::load(const Dense<T>& x, Index first, Index count) {
  rows_ = (usize(count) + kRowStep - 1) / kRowStep * kRowStep;
  for (std::size_t b = 0; b < rows_; ++b) {
    const T* row = x.row(first + std::min(static_cast<Index>(b), count - 1));
    double* out = x_.data() + b;
    for (std::size_t j = 0; j < d_; ++j) out[j * kRows] = static_cast<double>(row[j]);
    if (d_ < kWideRows) continue;
    double* copy = by_row_.data() + b * row_stride(d_);
    std::copy(row, row + d_, copy);
    std::fill(copy + d_, copy + row_stride(d_), 0.0);
  }
}
template void GaussianBlock::load(const Dense<float>&, Index, Index);
template void GaussianBlock::load(const Dense<double>&, Index, Index);

void GaussianBlock::find_joint() {
  const std::size_t packed = packed_size(d_);
  for (std::size_t c = 0; c < k_; ++c) {
    const std::size_t f = model_.covariance_of(c);
    const double* mean = &model_.means_.values[c * d_];
    const double constant = model_.constant_[c];
    if (model_.triangular()) {
      full_log_density(x_.data(), mean, &model_.packed_[f * packed], constant, d_, rows_,
                       work_.data(), joint(c));
    } else {
      diagonal_log_density(x_.data(), mean, &model_.whiten_[f * d_], constant, d_, rows_, joint(c));
    }
  }
}

void GaussianBlock::find_posterior() {
  softmax_columns(joint_.data(), k_, rows_, kRows, log_density, entropy);
}

void GaussianBlock::find_best() {
  for (std::size_t b = 0; b < rows_; ++b) {
    const std::size_t chosen = best(b);
    log_density[b] = joint(chosen)[b];
    entropy[b] = 0;
    for (std::size_t c = 0; c < k_; ++c) joint(c)[b] = c == chosen ? 1 : 0;
  }
}

std::size_t GaussianBlock::best(std::size_t b) const {
  std::size_t best = 0;
  for (std::size_t c = 1; c < k_; ++c) {
    if (joint(c)[b] > joint(best)[b]) best = c;
  }
  return best;
}

}  // namespace craton
