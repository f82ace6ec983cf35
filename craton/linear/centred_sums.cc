#include "craton/linear/centred_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/tables/columns.h"

// A chunk is copied about its first row, so that a column that does not change is exactly 0, and
// summed about its mean: O(rows x columns^2), sparse or not.

namespace craton {
namespace {

Index packed_place(Index a, Index b) { return a * (a + 1) / 2 + b; }  // of S_ab, b <= a

}  // namespace

CentredSums::CentredSums(Index columns)
    : size_(columns + 1),
      mean_(usize(size_)),
      low_(usize(size_), INFINITY),
      high_(usize(size_), -INFINITY),
      products_(usize(packed_place(size_, 0))) {}

CentredSums::CentredSums(const Source& x) : CentredSums(x.shape().cols) { x_ = &x; }

double CentredSums::product(Index a, Index b) const {
  return products_[usize(packed_place(std::max(a, b), std::min(a, b)))];
}

double CentredSums::largest(Index column) const {
  return std::max(std::abs(low_[usize(column)]), std::abs(high_[usize(column)]));
}

void CentredSums::accumulate(const Chunk& chunk) {
  check_weights(chunk, *x_);
  check_finite(chunk, *x_);
  check_targets(chunk, *x_);
  CentredSums own(columns());
  std::vector<double> z(usize(chunk.rows() * size_)), first(usize(size_)), weights;
  for (Index i = 0; i < chunk.rows(); ++i) {
    const double w = chunk.weight(i);
    if (w == 0) continue;
    double* const row = &z[usize(own.rows_ * size_)];
    const std::uint64_t hash = std::visit(
        [&](const auto& x) {
          copy_row(x, i, row);
          return row_hash(x, i);
        },
        chunk.x);
    row[columns()] = chunk.targets[usize(i)];
    own.hash_ += mix(hash, mix(std::bit_cast<std::uint64_t>(row[columns()] + 0.0),
                               std::bit_cast<std::uint64_t>(w)));
    if (own.rows_ == 0) std::copy_n(row, size_, first.begin());
    own.weight_ += w;
    for (std::size_t j = 0; j < usize(size_); ++j) {
      own.low_[j] = std::min(own.low_[j], row[j]);
      own.high_[j] = std::max(own.high_[j], row[j]);
      row[j] -= first[j];
      own.mean_[j] += w * row[j];
    }
    weights.push_back(w);
    ++own.rows_;
  }
  if (own.rows_ == 0) return;
  for (double& m : own.mean_) m /= own.weight_;
  for (Index i = 0; i < own.rows_; ++i) {
    double* const row = &z[usize(i * size_)];
    for (Index a = 0; a < size_; ++a) row[a] -= own.mean_[usize(a)];
    for (Index a = 0; a < size_; ++a) {
      const double weighted = weights[usize(i)] * row[a];
      double* const to = &own.products_[usize(packed_place(a, 0))];
      for (Index b = 0; b <= a; ++b) to[b] += weighted * row[b];
    }
  }
  for (std::size_t j = 0; j < usize(size_); ++j) own.mean_[j] += first[j];
  merge(own);
}

void CentredSums::merge(const CentredSums& next) {
  if (next.rows_ == 0) return;
  const double total = weight_ + next.weight_, share = next.weight_ / total;
  std::vector<double> apart(usize(size_));
  for (std::size_t j = 0; j < usize(size_); ++j) {
    if (rows_ > 0) apart[j] = next.mean_[j] - mean_[j];
    mean_[j] = rows_ > 0 ? mean_[j] + share * apart[j] : next.mean_[j];
    low_[j] = std::min(low_[j], next.low_[j]);
    high_[j] = std::max(high_[j], next.high_[j]);
  }
  for (Index a = 0; a < size_; ++a) {
    const double moved = weight_ * share * apart[usize(a)];
    for (Index b = 0; b <= a; ++b) {
      const std::size_t at = usize(packed_place(a, b));
      products_[at] += next.products_[at] + moved * apart[usize(b)];
    }
  }
  weight_ = total;
  rows_ += next.rows_;
  hash_ += next.hash_;
}

void CentredSums::write(Writer& writer) const {
  writer.put(weight_);
  writer.put(rows_);
  writer.put(hash_);
  for (const auto* values : {&mean_, &low_, &high_, &products_}) writer.put(*values);
}

void CentredSums::read(Reader& reader) {
  reader.get(weight_);
  reader.get(rows_);
  reader.get(hash_);
  for (auto* values : {&mean_, &low_, &high_, &products_}) reader.get(*values);
}

std::vector<Parameter> CentredSums::arrays() const {
  return {{"row_count", "rows, and the sum of their weights", {{2}, {double(rows_), weight_}}},
          {"mean", "of each feature, and of the target", {{size_}, mean_}},
          {"low", "the least of each", {{size_}, low_}},
          {"high", "the greatest of each", {{size_}, high_}},
          {"products",
           "sums of products about the means, the lower triangle",
           {{ssize(products_)}, products_}}};
}

CentredSums CentredSums::from(std::span<const Parameter> arrays, Index columns,
                              std::uint64_t hash) {
  constexpr double kMostRows = 0x1p53;
  CentredSums result(columns);
  const auto get = [&](const char* name, Index size) {
    const std::vector<Index> shape{size};
    std::vector<double> values = get_parameter(arrays, name, shape).values;
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
      fail_parameters("a sum that it remembers is not finite");
    }
    return values;
  };
  const std::vector<double> count = get("row_count", 2);
  result.mean_ = get("mean", result.size_);
  result.low_ = get("low", result.size_);
  result.high_ = get("high", result.size_);
  result.products_ = get("products", ssize(result.products_));
  bool sound = count[0] >= 1 && count[0] <= kMostRows && count[0] == std::floor(count[0]) &&
               count[1] > 0 && count[1] <= kHeaviest;
  for (Index j = 0; j < result.size_; ++j) {
    sound =
        sound && result.range(j) >= 0 && result.range(j) <= kWidest && result.product(j, j) >= 0;
  }
  if (!sound) fail_parameters("the sums that it remembers make no sense");
  result.rows_ = static_cast<Index>(count[0]);
  result.weight_ = count[1];
  result.hash_ = hash;
  return result;
}

}  // namespace craton
