#include "craton/classes/discriminant/gaussian_classes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/gaussian.h"
#include "craton/kernels/gaussian_row.h"
#include "craton/kernels/linear_scores.h"
#include "craton/kernels/scratch.h"
#include "craton/kernels/special.h"
#include "craton/tables/columns.h"

// Blocks of rows in vector registers: d^2 / 2 multiply-adds a row and class, or d for one
// covariance. No square is expanded far from the means, so an offset of the data costs nothing.

namespace craton {
namespace {

// L y, and its square.
std::vector<double> lower_times(std::span<const double> lower, std::span<const double> y) {
  const std::size_t d = y.size();
  std::vector<double> result(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) result[i] += lower[i * d + j] * y[j];
  }
  return result;
}
// L' z.
std::vector<double> transposed_lower_times(std::span<const double> lower,
                                           std::span<const double> z) {
  const std::size_t d = z.size();
  std::vector<double> result(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) result[j] += lower[i * d + j] * z[i];
  }
  return result;
}

// x one column after the other, kBlockRows at a time; calls use(block, first row, count, rows).
template <class T, class F>
void for_blocks(const Dense<T>& x, const F& use) {
  const std::size_t d = usize(x.cols), all = usize(x.rows);
  Scratch block(d * kBlockRows);
  for (std::size_t first = 0; first < all; first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, all - first);
    const std::size_t rows = (count + kRowStep - 1) / kRowStep * kRowStep;
    for (std::size_t b = 0; b < rows; ++b) {  // the last row is repeated
      const T* row = x.row(static_cast<Index>(first + std::min(b, count - 1)));
      for (std::size_t j = 0; j < d; ++j) {
        block.data()[j * kBlockRows + b] = static_cast<double>(row[j]);
      }
    }
    use(block.data(), first, count, rows);
  }
}

}  // namespace

GaussianClasses::GaussianClasses(Array log_prior, Array means, Array covariance, bool shared,
                                 double tol)
    : log_prior_(std::move(log_prior)),
      means_(std::move(means)),
      covariance_(std::move(covariance)),
      shared_(shared),
      k_(usize(means_.rows())),
      d_(usize(means_.cols())) {
  const std::size_t given = shared ? 1 : k_, each = covariance_.values.size() / given;
  for (std::size_t c = 0; c < k_; ++c) {
    for (std::size_t j = 0; j < d_; ++j) {
      if (c == 0) centre_.push_back(0);
      const double p = std::exp(log_prior_.values[c]);
      centre_[j] += p * means_.values[c * d_ + j];
    }
  }
  if (covariance_.shape.size() == 3) {
    for (std::size_t f = 0; f < given; ++f) {
      whitenings_.push_back(whiten(std::span(covariance_.values).subspan(f * each, each), columns(),
                                   shared ? tol : 0));
      packed_.resize((f + 1) * packed_size(d_));
      pack_lower(whitenings_[f].lower.data(), d_, &packed_[f * packed_size(d_)]);
      constant_.push_back(whitenings_[f].log_scale -
                          static_cast<double>(whitenings_[f].rank) * kHalfLogTwoPi);
    }
  } else {
    Array variances{means_.shape, {}};
    for (Index at = 0; at < ssize(means_.values); ++at) {
      variances.values.push_back(variance(at / columns(), at % columns()));
    }
    diagonal_.emplace(log_prior_.values, means_, variances);
  }
  if (shared_) prepare_linear();
}

void GaussianClasses::prepare_linear() {
  const std::size_t stride = usize(padded_classes(classes()));
  weights_.assign(d_ * stride, 0.0);
  intercept_ = log_prior_.values;
  for (std::size_t c = 0; c < k_; ++c) {
    std::vector<double> apart;
    for (std::size_t j = 0; j < d_; ++j) apart.push_back(means_.values[c * d_ + j] - centre_[j]);
    std::vector<double> w = apart;
    if (full()) {
      w = transposed_lower_times(whitenings_[0].lower, lower_times(whitenings_[0].lower, apart));
    } else {
      for (std::size_t j = 0; j < d_; ++j) w[j] /= variance(0, static_cast<Index>(j));
    }
    intercept_[c] -= std::inner_product(w.begin(), w.end(), apart.begin(), 0.0) / 2;
    for (std::size_t j = 0; j < d_; ++j) weights_[j * stride + c] = w[j];
  }
  start_ = intercept_;
  start_.resize(stride);
  all_columns_.resize(d_);
  std::iota(all_columns_.begin(), all_columns_.end(), 0);
}

double GaussianClasses::variance(Index label, Index column) const {
  const Index f = shared_ ? 0 : label, d = columns();
  const Index each = ssize(covariance_.values) / (shared_ ? 1 : classes());
  const Index at = full() ? column * d + column : each > 1 ? column : 0;
  return covariance_.values[usize(f * each + at)];
}

std::vector<double> GaussianClasses::covariance_of(Index label) const {
  std::vector<double> result(d_ * d_);
  if (full()) {
    std::copy_n(&covariance_.values[shared_ ? 0 : usize(label) * d_ * d_], d_ * d_, result.begin());
  } else {
    for (std::size_t j = 0; j < d_; ++j) {
      result[j * d_ + j] = variance(label, static_cast<Index>(j));
    }
  }
  return result;
}

std::vector<double> GaussianClasses::precision_of(Index label) const {
  std::vector<double> result(d_ * d_);
  for (std::size_t j = 0; j < d_; ++j) {
    if (!full()) {
      result[j * d_ + j] = 1 / variance(label, static_cast<Index>(j));
      continue;
    }
    const std::vector<double>& lower = whitenings_[shared_ ? 0 : usize(label)].lower;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t l = std::max(i, j); l < d_; ++l) {
        result[i * d_ + j] += lower[l * d_ + i] * lower[l * d_ + j];
      }
    }
  }
  return result;
}

double GaussianClasses::log_scale(Index label) const {
  if (full()) return whitenings_[shared_ ? 0 : usize(label)].log_scale;
  double sum = 0;
  for (Index j = 0; j < columns(); ++j) sum -= std::log(variance(label, j)) / 2;
  return sum;
}

std::vector<double> GaussianClasses::centre() const { return centre_; }

template <class T>
void GaussianClasses::find_own(const Dense<T>& x, std::span<double> out) const {
  Scratch work(work_size(d_));
  alignas(64) double density[kBlockRows];
  for_blocks(x, [&](const double* block, std::size_t first, std::size_t count, std::size_t rows) {
    for (std::size_t c = 0; c < k_; ++c) {
      full_log_density(block, &means_.values[c * d_], &packed_[c * packed_size(d_)],
                       constant_[c] + log_prior_.values[c], d_, rows, work.data(), density);
      for (std::size_t b = 0; b < count; ++b) out[(first + b) * k_ + c] = density[b];
    }
  });
}

template <class T>
void GaussianClasses::find_linear(const Dense<T>& x, std::span<double> out) const {
  centred_scores(x, centre_.data(), weights_.data(), start_.data(), classes(), out.data());
}

// Adds log N(x | m, Sigma) to the linear scores.
template <class T>
void GaussianClasses::find_common(const Dense<T>& x, std::span<double> out) const {
  find_linear(x, out);
  Scratch work(work_size(d_));
  alignas(64) double density[kBlockRows];
  for_blocks(x, [&](const double* block, std::size_t first, std::size_t count, std::size_t rows) {
    full_log_density(block, centre_.data(), packed_.data(), constant_[0], d_, rows, work.data(),
                     density);
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t c = 0; c < k_; ++c) out[(first + b) * k_ + c] += density[b];
    }
  });
}

// A row that has no best class has a value that is no number, or lies too far from all.
void GaussianClasses::check_scores(const Chunk& chunk, const Source& x,
                                   std::span<const double> out) const {
  bool odd = false;  // most chunks have nothing of the kind
  for (const double v : out) odd |= !(std::abs(v) <= std::numeric_limits<double>::max());
  if (!odd) return;
  const double* row = out.data();
  for (Index i = 0; i < chunk.rows(); ++i, row += k_) {
    double best = row[0];
    bool numbers = true;
    for (std::size_t c = 0; c < k_; ++c) {
      best = row[c] > best ? row[c] : best;
      numbers = numbers && row[c] == row[c];
    }
    if (numbers && std::isfinite(best)) continue;
    check_finite(chunk, x);
    fail_too_far(x, chunk.first_row + i);
  }
}

void GaussianClasses::joint(const Chunk& chunk, const Source& x, std::span<double> out) const {
  if (diagonal_) return diagonal_->find(chunk, x, out);
  visit_dense(chunk.x,
              [&](const auto& rows) { shared_ ? find_common(rows, out) : find_own(rows, out); });
  check_scores(chunk, x, out);
}

void GaussianClasses::scores(const Chunk& chunk, const Source& x, std::span<double> out) const {
  if (diagonal_ || !shared_) return joint(chunk, x, out);
  visit_dense(chunk.x, [&](const auto& rows) { find_linear(rows, out); });
  check_scores(chunk, x, out);
}

void GaussianClasses::contributions(const Chunk& chunk, Index row, Index label,
                                    std::span<double> out) const {
  const std::span<double> terms = out.subspan(1);
  std::visit([&](const auto& x) { copy_row(x, row, terms.data()); }, chunk.x);
  const double* const mean = means_.view().row(label);
  out[0] = log_prior_.values[usize(label)];
  if (!full()) {
    for (std::size_t j = 0; j < d_; ++j) {
      const double v = variance(label, static_cast<Index>(j)), apart = terms[j] - mean[j];
      terms[j] = std::isnan(apart) ? 0 : -kHalfLogTwoPi - (std::log(v) + apart * apart / v) / 2;
    }
  } else if (shared_) {
    const std::size_t stride = usize(padded_classes(classes()));
    out[0] = intercept_[usize(label)];
    for (std::size_t j = 0; j < d_; ++j) {
      terms[j] = weights_[j * stride + usize(label)] * (terms[j] - centre_[j]);
    }
  } else {
    const Whitening& w = whitenings_[usize(label)];
    out[0] += w.log_scale;
    for (std::size_t j = 0; j < d_; ++j) terms[j] -= mean[j];
    const std::vector<double> pulled = transposed_lower_times(w.lower, lower_times(w.lower, terms));
    for (std::size_t j = 0; j < d_; ++j) terms[j] *= -pulled[j] / 2;
  }
}

// w . (x - m) + b = w . x + (b - w . m).
LinearForm GaussianClasses::linear_form() const {
  CRATON_ASSERT(shared_);
  const std::size_t stride = usize(padded_classes(classes()));
  LinearForm form{means_, {{classes()}, intercept_}};
  for (std::size_t at = 0; at < k_ * d_; ++at) {
    const double w = weights_[at % d_ * stride + at / d_];
    form.coef.values[at] = w;
    form.intercept.values[at / d_] -= w * centre_[at % d_];
  }
  return form;
}

// mu + S z with S S' = Sigma: Cholesky's, or V E^1/2 where Sigma is singular.
Sample GaussianClasses::sample(Index rows, std::uint64_t seed) const {
  std::vector<double> prior;
  for (const double l : log_prior_.values) prior.push_back(std::exp(l));
  std::vector<std::vector<double>> spread;
  for (Index c = 0; c < (shared_ ? 1 : classes()); ++c) {
    spread.push_back(covariance_of(c));
    if (cholesky(spread.back(), columns())) continue;
    const SymmetricEigen eigen = eigen_symmetric(covariance_of(c), columns());
    for (std::size_t i = 0; i < d_ * d_; ++i) {
      spread.back()[i] = eigen.vectors[i] * std::sqrt(std::max(0.0, eigen.values[i % d_]));
    }
  }
  Sample sample{{{rows, columns()}, std::vector<double>(usize(rows) * d_)},
                std::vector<std::int32_t>(usize(rows))};
  std::vector<double> z(d_);
  for (std::size_t i = 0; i < usize(rows); ++i) {
    Random random(seed, Purpose::kSample, 0, i);
    const std::size_t c = usize(random.categorical(prior));
    sample.labels[i] = static_cast<std::int32_t>(c);
    for (double& v : z) v = random.normal();
    const std::vector<double>& s = spread[shared_ ? 0 : c];
    for (std::size_t j = 0; j < d_; ++j) {
      sample.x.values[i * d_ + j] =
          std::inner_product(z.begin(), z.end(), &s[j * d_], means_.values[c * d_ + j]);
    }
  }
  return sample;
}

// One row by itself, as joint() and scores() have blocks of them.

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
