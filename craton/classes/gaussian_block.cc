#include "craton/classes/gaussian_block.h"

#include <algorithm>
#include <cmath>

#include "craton/core/columns.h"

// Cost of a pass over n rows: k d^2 / 2 multiply-adds a row for the densities and as many for the
// scatter (full), or k d (diagonal).

namespace craton {
namespace {

constexpr std::size_t kRows = GaussianBlock::kRows;
constexpr std::size_t kLanes = 8;  // a fixed number: sums do not depend on the machine's vectors

// sum_b a[b] b[b] over a block, in kLanes partial sums that are added in one fixed order.
double dot(const double* a, const double* b) {
  double lane[kLanes] = {};
  for (std::size_t i = 0; i < kRows; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += a[i + l] * b[i + l];
  }
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

}  // namespace

GaussianBlock::GaussianBlock(const GaussianMixture& model)
    : model_(model),
      k_(usize(model.classes())),
      d_(usize(model.columns())),
      x_(d_ * kRows),
      difference_(d_ * kRows),
      joint_(k_ * kRows) {}

template <class T>
void GaussianBlock::load(const Dense<T>& x, Index first, Index count) {
  std::fill(x_.begin(), x_.end(), 0.0);
  for (Index b = 0; b < count; ++b) {
    const T* row = x.row(first + b);
    for (std::size_t j = 0; j < d_; ++j) x_[j * kRows + usize(b)] = static_cast<double>(row[j]);
  }
}
template void GaussianBlock::load(const Dense<float>&, Index, Index);
template void GaussianBlock::load(const Dense<double>&, Index, Index);

const double* GaussianBlock::difference(std::size_t c) {
  for (std::size_t j = 0; j < d_; ++j) {
    const double mu = model_.means_.values[c * d_ + j];
    for (std::size_t b = 0; b < kRows; ++b) {
      difference_[j * kRows + b] = x_[j * kRows + b] - mu;
    }
  }
  return difference_.data();
}

void GaussianBlock::find_joint() {
  const bool full = model_.covariance_type() == GaussianMixture::Covariance::kFull;
  for (std::size_t c = 0; c < k_; ++c) {
    const double* difference_of_c = difference(c);
    double squared[kRows] = {};  // |L^-1 (x - mu)|^2
    for (std::size_t i = 0; i < d_; ++i) {
      double white[kRows] = {};
      const std::size_t first = full ? 0 : i;
      const double* factor = &model_.whiten_[full ? (c * d_ + i) * d_ : c * d_];
      for (std::size_t j = first; j <= i; ++j) {
        const double* column = difference_of_c + j * kRows;
        for (std::size_t b = 0; b < kRows; ++b) white[b] += factor[j] * column[b];
      }
      for (std::size_t b = 0; b < kRows; ++b) squared[b] += white[b] * white[b];
    }
    double* out = joint(c);
    // A difference that overflowed times a factor of 0 is NaN; the density there is 0.
    for (std::size_t b = 0; b < kRows; ++b) {
      out[b] = squared[b] >= 0 ? model_.constant_[c] - 0.5 * squared[b] : -INFINITY;
    }
  }
}

void GaussianBlock::find_posterior() {
  double top[kRows], sum[kRows] = {};
  std::fill(top, top + kRows, -INFINITY);
  for (std::size_t c = 0; c < k_; ++c) {
    for (std::size_t b = 0; b < kRows; ++b) top[b] = std::max(top[b], joint(c)[b]);
  }
  for (std::size_t c = 0; c < k_; ++c) {
    double* p = joint(c);
    for (std::size_t b = 0; b < kRows; ++b) {
      p[b] = std::exp(p[b] - top[b]);
      sum[b] += p[b];
    }
  }
  for (std::size_t b = 0; b < kRows; ++b) log_density[b] = top[b] + std::log(sum[b]);
  for (std::size_t c = 0; c < k_; ++c) {
    for (std::size_t b = 0; b < kRows; ++b) joint(c)[b] /= sum[b];
  }
}

void GaussianBlock::assign_nearest() {
  double nearest[kRows];
  std::size_t label[kRows] = {};
  std::fill(nearest, nearest + kRows, INFINITY);
  for (std::size_t c = 0; c < k_; ++c) {
    const double* difference_of_c = difference(c);
    double squared[kRows] = {};
    for (std::size_t j = 0; j < d_; ++j) {
      for (std::size_t b = 0; b < kRows; ++b) {
        squared[b] += difference_of_c[j * kRows + b] * difference_of_c[j * kRows + b];
      }
    }
    for (std::size_t b = 0; b < kRows; ++b) {
      if (squared[b] < nearest[b]) nearest[b] = squared[b], label[b] = c;
    }
  }
  std::fill(joint_.begin(), joint_.end(), 0.0);
  for (std::size_t b = 0; b < kRows; ++b) {
    joint(label[b])[b] = 1;
    log_density[b] = 0;
  }
}

std::size_t GaussianBlock::best(std::size_t b) const {
  std::size_t best = 0;
  for (std::size_t c = 1; c < k_; ++c) {
    if (joint(c)[b] > joint(best)[b]) best = c;
  }
  return best;
}

GaussianMixture::Statistics::Statistics(const GaussianMixture& model, Assign assign)
    : model_(&model),
      assign_(assign),
      k_(usize(model.classes())),
      d_(usize(model.columns())),
      full_(model.covariance_type() == Covariance::kFull),
      weight_(k_),
      sum_(k_ * d_) {
  scatter_words_ = full_ ? d_ * (d_ + 1) / 2 : d_;
  scatter_.resize(k_ * scatter_words_);
}

std::span<const double> GaussianMixture::Statistics::sum(Index c) const {
  return std::span(sum_).subspan(usize(c) * d_, d_);
}
std::span<const double> GaussianMixture::Statistics::scatter(Index c) const {
  return std::span(scatter_).subspan(usize(c) * scatter_words_, scatter_words_);
}

void GaussianMixture::Statistics::accumulate(const Chunk& chunk) {
  GaussianBlock block(*model_);
  visit_dense(chunk.x, [&](const auto& x) {
    for (Index first = 0; first < x.rows; first += static_cast<Index>(kRows)) {
      const Index count = std::min(static_cast<Index>(kRows), x.rows - first);
      block.load(x, first, count);
      double row_weights[kRows] = {};
      for (Index b = 0; b < count; ++b) row_weights[b] = chunk.weight(first + b);
      if (assign_ == Assign::kNearest) {
        block.assign_nearest();
      } else {
        block.find_joint();
        block.find_posterior();
      }
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

void GaussianMixture::Statistics::add(GaussianBlock& block, const double* row_weights) {
  for (std::size_t b = 0; b < kRows; ++b) {
    total_ += row_weights[b];
    if (row_weights[b] > 0) log_likelihood_ += row_weights[b] * block.log_density[b];
  }
  for (std::size_t c = 0; c < k_; ++c) {
    double* r = block.joint(c);
    const double* difference = block.difference(c);
    for (std::size_t b = 0; b < kRows; ++b) r[b] *= row_weights[b];
    for (std::size_t b = 0; b < kRows; ++b) weight_[c] += r[b];
    double* scatter = &scatter_[c * scatter_words_];
    for (std::size_t i = 0; i < d_; ++i) {
      double weighted[kRows];
      const double* column = difference + i * kRows;
      for (std::size_t b = 0; b < kRows; ++b) {
        weighted[b] = r[b] * column[b];
        sum_[c * d_ + i] += weighted[b];
      }
      if (!full_) *scatter++ += dot(weighted, column);
      for (std::size_t j = 0; full_ && j <= i; ++j)
        *scatter++ += dot(weighted, difference + j * kRows);
    }
  }
}

void GaussianMixture::Statistics::merge(const Statistics& next) {
  total_ += next.total_;
  log_likelihood_ += next.log_likelihood_;
  for (std::size_t i = 0; i < weight_.size(); ++i) weight_[i] += next.weight_[i];
  for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += next.sum_[i];
  for (std::size_t i = 0; i < scatter_.size(); ++i) scatter_[i] += next.scatter_[i];
}

void GaussianMixture::Statistics::write(Writer& writer) const {
  writer.put(total_);
  writer.put(log_likelihood_);
  for (const auto* values : {&weight_, &sum_, &scatter_}) writer.put(*values);
}

void GaussianMixture::Statistics::read(Reader& reader) {
  reader.get(total_);
  reader.get(log_likelihood_);
  for (auto* values : {&weight_, &sum_, &scatter_}) reader.get(*values);
}

Index GaussianMixture::Statistics::words() const {
  return 2 + std::ssize(weight_) + std::ssize(sum_) + std::ssize(scatter_);
}

}  // namespace craton
