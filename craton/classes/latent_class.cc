#include "craton/classes/latent_class.h"

#include <algorithm>
#include <cmath>

#include "craton/base/error.h"
#include "craton/kernels/exp_log.h"

namespace craton {
namespace {

// Four sums side by side, in a fixed order.
template <class F>
double sum_of(std::size_t rows, const F& f) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t b = 0;
  for (; b + 4 <= rows; b += 4) s0 += f(b), s1 += f(b + 1), s2 += f(b + 2), s3 += f(b + 3);
  for (; b < rows; ++b) s0 += f(b);
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

void fail_impossible(Index row) {
  throw InputError(Code::kOutsideSupport, {.row = row},
                   "the row is impossible under every class, so it belongs to none",
                   "Give alpha above 0, or another family, or leave the row out.");
}

EStep::EStep(Assignment assignment, double unlabelled_weight, std::size_t stride)
    : assignment_(assignment),
      unlabelled_weight_(unlabelled_weight),
      stride_(stride),
      log_p_(stride),
      entropy_(stride),
      of_label_(stride),
      weight_(stride) {}

// Ties go to the lower class.
void EStep::assign_best(std::size_t classes, std::size_t rows, double* table) {
  for (std::size_t b = 0; b < rows; ++b) {
    std::size_t best = 0;
    for (std::size_t z = 1; z < classes; ++z) {
      if (table[z * stride_ + b] > table[best * stride_ + b]) best = z;
    }
    log_p_.data()[b] = table[best * stride_ + b];
    entropy_.data()[b] = 0;
    for (std::size_t z = 0; z < classes; ++z) table[z * stride_ + b] = z == best ? 1 : 0;
  }
}

Bound EStep::operator()(const Chunk& chunk, Index first, Index count, std::size_t classes,
                        double* table, const double* base) {
  const std::size_t rows = usize(count), padded = (rows + 7) / 8 * 8;
  const std::int32_t* const labels = chunk.labels.empty() ? nullptr : &chunk.labels[usize(first)];
  for (std::size_t b = 0; b < rows && labels != nullptr; ++b) {
    if (labels[b] >= 0) of_label_.data()[b] = table[usize(labels[b]) * stride_ + b];
  }
  if (assignment_ == Assignment::kHard) {
    assign_best(classes, padded, table);
  } else {
    softmax_columns(table, classes, padded, stride_, log_p_.data(), entropy_.data());
  }
  for (std::size_t b = 0; b < rows && labels != nullptr; ++b) {
    if (labels[b] < 0) continue;
    for (std::size_t z = 0; z < classes; ++z) table[z * stride_ + b] = 0;
    table[usize(labels[b]) * stride_ + b] = 1;
    log_p_.data()[b] = of_label_.data()[b];
    entropy_.data()[b] = 0;
  }
  for (std::size_t z = 0; z < classes; ++z) {
    std::fill(table + z * stride_ + rows, table + z * stride_ + padded, 0.0);
  }
  if (base != nullptr) {
    for (std::size_t b = 0; b < rows; ++b) log_p_.data()[b] += base[b];
  }

  rows_ = rows;
  weighted_ = !chunk.weights.empty() || unlabelled_weight_ != 1;
  if (weighted_) weigh(chunk, first, classes, table);
  Bound bound;
  bound.weight = weighted_ ? sum_of(rows, [&](std::size_t b) { return weight_.data()[b]; })
                           : static_cast<double>(rows);
  bound.entropy = total(entropy_.data());
  bound.expected = total(log_p_.data()) - bound.entropy;
  if (std::isfinite(bound.expected)) return bound;
  for (std::size_t b = 0; b < rows; ++b) {
    const bool counts = !weighted_ || weight_.data()[b] != 0;
    if (counts && !std::isfinite(log_p_.data()[b])) {
      fail_impossible(chunk.first_row + first + static_cast<Index>(b));
    }
  }
  throw InputError(Code::kNotFinite, {.row = chunk.first_row + first},
                   "the log-probabilities near this row are so large that their sum overflows",
                   "Divide the columns, or the weights, by a power of ten.");
}

void EStep::weigh(const Chunk& chunk, Index first, std::size_t classes, double* table) {
  for (std::size_t b = 0; b < rows_; ++b) {
    const std::size_t row = usize(first) + b;
    const bool seen = !chunk.labels.empty() && chunk.labels[row] >= 0;
    weight_.data()[b] = chunk.weight(static_cast<Index>(row)) * (seen ? 1.0 : unlabelled_weight_);
  }
  for (std::size_t z = 0; z < classes; ++z) {
    double* const q = table + z * stride_;
    for (std::size_t b = 0; b < rows_; ++b)
      q[b] = weight_.data()[b] == 0 ? 0 : q[b] * weight_.data()[b];
  }
}

double EStep::total(const double* of_row) const {
  if (!weighted_) return sum_of(rows_, [&](std::size_t b) { return of_row[b]; });
  return sum_of(rows_, [&](std::size_t b) {
    return weight_.data()[b] == 0 ? 0 : weight_.data()[b] * of_row[b];
  });
}

}  // namespace craton
