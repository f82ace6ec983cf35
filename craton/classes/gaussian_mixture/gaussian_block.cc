#include "craton/classes/gaussian_mixture/gaussian_block.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/exp_log.h"
#include "craton/tables/columns.h"

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

// Cost of a pass over n rows: k d^2 / 2 multiply-adds a row for the densities and as many for the
// scatter (full and tied), or k d (diagonal and spherical); and k exponentials a row.

using Statistics = GaussianMixture::Statistics;

Statistics::Statistics(const GaussianMixture& model, Assignment assignment, double log_prior)
    : model_(&model),
      assignment_(assignment),
      log_prior_(log_prior),
      k_(usize(model.classes())),
      d_(usize(model.columns())),
      scatter_words_(model.triangular() ? d_ * (d_ + 1) / 2 : d_),
      weight_(k_),
      sum_(k_ * d_),
      scatter_(usize(model.covariances_.rows()) * scatter_words_) {}

std::span<const double> Statistics::sum(Index c) const {
  return std::span(sum_).subspan(usize(c) * d_, d_);
}
std::span<const double> Statistics::scatter(Index covariance) const {
  return std::span(scatter_).subspan(usize(covariance) * scatter_words_, scatter_words_);
}

void Statistics::accumulate(const Chunk& chunk) {
  constexpr Index kRows = static_cast<Index>(GaussianBlock::kRows);
  GaussianBlock block(*model_);
  visit_dense(chunk.x, [&](const auto& x) {
    for (Index first = 0; first < x.rows; first += kRows) {
      const Index count = std::min(kRows, x.rows - first);
      block.load(x, first, count);
      alignas(64) double row_weights[GaussianBlock::kRows] = {};
      for (Index b = 0; b < count; ++b) row_weights[b] = chunk.weight(first + b);
      block.find_joint();
      assignment_ == Assignment::kHard ? block.find_best() : block.find_posterior();
      for (Index b = 0; b < count; ++b) {
        if (std::isfinite(block.log_density[b]) || row_weights[b] == 0) continue;
        throw InputError(Code::kNotFinite, {.row = chunk.first_row + first + b},
                         "the row lies so far from every component that its density vanishes",
                         "Check its units, and a given start (means_init, precisions_init).");
      }
      add(block, row_weights);
    }
  });
}

void Statistics::share(const Dense<double>& x, std::span<const double> weights) {
  constexpr Index kRows = static_cast<Index>(GaussianBlock::kRows);
  GaussianBlock block(*model_);
  for (Index first = 0; first < x.rows; first += kRows) {
    const Index count = std::min(kRows, x.rows - first);
    block.load(x, first, count);
    alignas(64) double row_weights[GaussianBlock::kRows] = {};
    for (Index b = 0; b < kRows; ++b) {
      block.log_density[b] = block.entropy[b] = 0;
      const double* of_row = &weights[usize(std::min(first + b, x.rows - 1)) * k_];
      for (std::size_t c = 0; c < k_; ++c) {
        if (b < count) row_weights[b] += of_row[c];
      }
      for (std::size_t c = 0; c < k_; ++c) {
        block.joint(c)[b] = row_weights[b] > 0 ? of_row[c] / row_weights[b] : 0;
      }
    }
    add(block, row_weights);
  }
}

void Statistics::add(GaussianBlock& block, const double* row_weights) {
  const std::size_t rows = block.rows_;
  for (std::size_t b = 0; b < rows; ++b) {
    if (row_weights[b] == 0) continue;
    total_ += row_weights[b];
    log_likelihood_ += row_weights[b] * block.log_density[b];
    entropy_ += row_weights[b] * block.entropy[b];
  }
  const double *x = block.x_.data(), *by_row = block.by_row_.data();
  for (std::size_t c = 0; c < k_; ++c) {
    const double *r = block.joint(c), *mean = &model_->means_.values[c * d_];
    double *sum = &sum_[c * d_], *scatter = &scatter_[model_->covariance_of(c) * scatter_words_];
    weight_[c] += model_->triangular() ? add_full_scatter(x, by_row, mean, r, row_weights, d_, rows,
                                                          block.work_.data(), sum, scatter)
                                       : add_diagonal_scatter(x, by_row, mean, r, row_weights, d_,
                                                              rows, sum, scatter);
  }
}

void Statistics::merge(const Statistics& next) {
  total_ += next.total_;
  log_likelihood_ += next.log_likelihood_;
  entropy_ += next.entropy_;
  for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] += next.weight_[i];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  for (std::size_t i = 0; i < scatter_.size(); ++i) scatter_[i] += next.scatter_[i];
}

void Statistics::scale(double factor) {
  for (double* value : {&total_, &log_likelihood_, &entropy_}) *value *= factor;
  for (auto* values : {&weight_, &sum_, &scatter_}) {
    for (double& v : *values) v *= factor;
  }
}

// sum r (y - t) = s - n t and sum r (y - t)(y - t)' = S - t s' - s t' + n t t'.
void Statistics::recentre(const GaussianMixture& about, const GaussianMixture& model) {
  const bool diagonal = !model.triangular();
  for (std::size_t c = 0; c < k_; ++c) {
    double *s = &sum_[c * d_], *scatter = &scatter_[model.covariance_of(c) * scatter_words_];
    const double *from = &about.means_.values[c * d_], *to = &model.means_.values[c * d_];
    for (std::size_t i = 0; i < d_; ++i) {
      const double ti = to[i] - from[i];
      for (std::size_t j = diagonal ? i : 0; j <= i; ++j) {
        const double tj = to[j] - from[j];
        *scatter++ += weight_[c] * ti * tj - ti * s[j] - s[i] * tj;
      }
    }
    for (std::size_t i = 0; i < d_; ++i) s[i] -= weight_[c] * (to[i] - from[i]);
  }
}

void Statistics::write(Writer& writer) const {
  for (const double value : {total_, log_likelihood_, entropy_}) writer.put(value);
  for (const auto* values : {&weight_, &sum_, &scatter_}) writer.put(*values);
}

void Statistics::read(Reader& reader) {
  for (double* value : {&total_, &log_likelihood_, &entropy_}) reader.get(*value);
  for (auto* values : {&weight_, &sum_, &scatter_}) reader.get(*values);
}

Index Statistics::words() const {
  return 3 + std::ssize(weight_) + std::ssize(sum_) + std::ssize(scatter_);
}

}  // namespace craton
