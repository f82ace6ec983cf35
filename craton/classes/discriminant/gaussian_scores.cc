#include "craton/classes/discriminant/gaussian_scores.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/gaussian_row.h"
#include "craton/kernels/scratch.h"
#include "craton/kernels/special.h"
#include "craton/tables/columns.h"

// Blocks of rows in vector registers; no square is expanded, so an offset of the data costs
// nothing.

namespace craton {
namespace {

constexpr double kFar = 1e3;  // squared standard deviations: three of sixteen digits

}  // namespace

GaussianScores::GaussianScores(std::span<const double> log_prior, const Array& means,
                               const Array& variances)
    : k_(log_prior.size()),
      d_(usize(means.cols())),
      log_prior_(log_prior.begin(), log_prior.end()),
      means_(means.values),
      constant_(log_prior_),
      is_far_(d_) {
  for (const double v : variances.values) scale_.push_back(1 / std::sqrt(v));
  for (std::size_t at = 0; at < k_ * d_; ++at) {
    constant_[at / d_] += std::log(scale_[at]) - kHalfLogTwoPi;
    if (!(z(at, 0) * z(at, 0) <= kFar)) is_far_[at % d_] = true;
  }
  of_zeros_ = constant_;
  for (std::size_t at = 0; at < k_ * d_; ++at) {
    if (!is_far_[at % d_]) of_zeros_[at / d_] -= z(at, 0) * z(at, 0) / 2;
  }
  for (std::size_t j = 0; j < d_; ++j) {
    if (is_far_[j]) far_.push_back(j);
  }
}

template <class T>
void GaussianScores::find_rows(const Dense<T>& x, std::span<double> out) const {
  Scratch block(d_ * kBlockRows);
  alignas(64) double joint[kBlockRows];
  for (std::size_t first = 0; first < usize(x.rows); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, usize(x.rows) - first);
    const std::size_t rows = (count + kRowStep - 1) / kRowStep * kRowStep;
    for (std::size_t b = 0; b < rows; ++b) {  // the last row is repeated
      const T* row = x.row(static_cast<Index>(first + std::min(b, count - 1)));
      for (std::size_t j = 0; j < d_; ++j) {
        block.data()[j * kBlockRows + b] = static_cast<double>(row[j]);
      }
    }
    for (std::size_t c = 0; c < k_; ++c) {
      diagonal_log_density(block.data(), &means_[c * d_], &scale_[c * d_], constant_[c], d_, rows,
                           joint);
      for (std::size_t b = 0; b < count; ++b) out[(first + b) * k_ + c] = joint[b];
    }
  }
}

template <class T>
void GaussianScores::skip_missing(const Dense<T>& x, Index row, double* out) const {
  const T* const values = x.row(row);
  for (std::size_t c = 0; c < k_; ++c) {
    out[c] = log_prior_[c];
    for (std::size_t j = 0; j < d_; ++j) {
      if (std::isnan(values[j])) continue;
      const std::size_t at = c * d_ + j;
      const double term = z(at, static_cast<double>(values[j]));
      out[c] += std::log(scale_[at]) - kHalfLogTwoPi - term * term / 2;
    }
  }
}

template <class T>
void GaussianScores::find_rows(const Sparse<T>& x, std::span<double> out) const {
  for (Index i = 0; i < x.rows; ++i) {
    const Index first = x.offsets[i], last = x.offsets[i + 1];
    for (std::size_t c = 0; c < k_; ++c) {
      double& score = out[usize(i) * k_ + c];
      score = of_zeros_[c];
      auto far = far_.begin();
      const auto add_far_zeros = [&](std::size_t end) {
        for (; far != far_.end() && *far < end; ++far) {
          const double zero = z(c * d_ + *far, 0);
          score -= zero * zero / 2;
        }
      };
      for (Index e = first; e < last; ++e) {
        const std::size_t j = usize(x.columns[e]), at = c * d_ + j;
        const double value = static_cast<double>(x.values[e]);
        add_far_zeros(j);
        if (is_far_[j]) ++far;
        if (std::isnan(value)) {
          score -= std::log(scale_[at]) - kHalfLogTwoPi;
          if (!is_far_[j]) score += z(at, 0) * z(at, 0) / 2;
        } else if (is_far_[j]) {
          score -= z(at, value) * z(at, value) / 2;
        } else {  // (x - mu)^2 - mu^2 = x (x - 2 mu)
          score -= value * scale_[at] * ((value - 2 * means_[at]) * scale_[at]) / 2;
        }
      }
      add_far_zeros(d_);
      if (!(score > -INFINITY)) score = -INFINITY;  // overflow, or no such class
    }
  }
}

bool GaussianScores::find_row(const double* row, std::span<double> out) const {
  bool possible = false;
  for (std::size_t c = 0; c < k_; ++c) {
    out[c] = diagonal_log_density(row, &means_[c * d_], &scale_[c * d_], constant_[c], d_);
    possible = possible || out[c] > -INFINITY;
  }
  return possible;
}

void GaussianScores::find(const Chunk& chunk, const Source& x, std::span<double> out) const {
  const auto impossible = [&](Index i) {
    const std::span<const double> row = out.subspan(usize(i) * k_, k_);
    return std::all_of(row.begin(), row.end(), [](double v) { return v == -INFINITY; });
  };
  const auto find_all = [&](const auto& rows) {
    find_rows(rows, out);
    for (Index i = 0; i < rows.rows; ++i) {
      if (!impossible(i)) continue;  // so every value is finite, or an entry was skipped
      check_infinite(chunk, i, x);
      skip_missing(rows, i, &out[usize(i) * k_]);
      if (impossible(i)) fail_too_far(x, chunk.first_row + i);
    }
  };
  std::visit(find_all, chunk.x);
}

}  // namespace craton
