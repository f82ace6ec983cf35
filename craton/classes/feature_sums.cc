#include "craton/classes/feature_sums.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "craton/core/columns.h"
#include "craton/core/error.h"
#include "craton/core/large.h"
#include "craton/core/random.h"
#include "craton/core/value_hash.h"

namespace craton {
namespace {

constexpr double kMostExact = 9007199254740992.0;  // 2^53

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool is_whole(double value) {  // the larger ones are
  return value >= kMostExact || value == static_cast<double>(static_cast<Index>(value));
}

// Of a zero 0, so that dense and sparse rows have the same hash; they add up in any order.
std::uint64_t hash_entry(double value, Index column) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  return value == 0 ? 0 : hash_value(value, (usize(column) + 1) * kGolden);
}

}  // namespace

FeatureSums::FeatureSums(const Source& x, Index columns, Index classes, Summand summand,
                         Merge merge)
    : x_(&x), columns_(columns), summand_(summand), merge_(merge), weight_(usize(classes)) {}

FeatureSums FeatureSums::from(std::vector<double> sums, std::vector<double> weight,
                              std::uint64_t hash) {
  FeatureSums result;
  result.columns_ = ssize(sums) / ssize(weight);
  result.sums_ = std::move(sums);
  result.weight_ = std::move(weight);
  result.hash_ = hash;
  return result;
}

void fail_threshold() {
  throw InputError(Code::kBadOption, {}, "binarize is below 0, which makes zeros count",
                   "Give 0 or more for sparse rows, or make them dense.");
}

bool FeatureSums::whole() const {
  return !fractions_ && std::all_of(sums_.begin(), sums_.end(),
                                    [](double s) { return std::abs(s) <= kMostExact; });
}

void FeatureSums::refuse(double value, Index row, Index column) const {
  if (!std::isfinite(value)) {
    throw InputError(
        Code::kNotFinite, x_->place_of(row, column),
        std::isnan(value) ? "the value is missing (NaN)" : "the value is infinite (inf)",
        "This model needs finite numbers.");
  }
  throw InputError(Code::kOutsideSupport, x_->place_of(row, column),
                   fmt::format("the value {} is negative", value),
                   "Negative values in data are no counts: use another model, or bernoulli-nb, "
                   "which asks only what is above a number.");
}

void FeatureSums::fill() {
  if (sums_.empty()) sums_ = large_zeros(usize(classes() * columns_));
}

// Calls f(value, column) for the entries of a row; returns a hash of them. Sums of many columns are
// far away: they are sent for early.
template <class T, class F>
std::uint64_t for_entries(const Dense<T>& x, Index row, const double*, const F& f) {
  const T* const values = x.row(row);
  std::uint64_t hash = 0;
  for (Index j = 0; j < x.cols; ++j) {
    const double value = static_cast<double>(values[j]);
    hash += hash_entry(value, j);
    f(value, j);
  }
  return hash;
}
template <class T, class F>
std::uint64_t for_entries(const Sparse<T>& x, Index row, const double* sums, const F& f) {
  constexpr Index kAhead = 24;
  const Index last = x.offsets[row + 1];
  std::uint64_t hash = 0;
  for (Index e = x.offsets[row]; e < last; ++e) {
    if (e + kAhead < last) __builtin_prefetch(sums + x.columns[e + kAhead], 1);
    const double value = static_cast<double>(x.values[e]);
    hash += hash_entry(value, x.columns[e]);
    f(value, x.columns[e]);
  }
  return hash;
}

template <class X>
std::uint64_t FeatureSums::add_row(const X& x, Index row, double weight, double* sums) {
  if (summand_.binary) {
    return for_entries(x, row, sums, [&](double value, Index j) {
      if (!std::isfinite(value)) refuse(value, first_row_ + row, j);
      sums[j] += value > summand_.threshold ? weight : 0;
    });
  }
  bool fractions = false;
  const std::uint64_t hash = for_entries(x, row, sums, [&](double value, Index j) {
    if (!(value >= 0 && value < kInfinite)) refuse(value, first_row_ + row, j);
    fractions |= !is_whole(value);
    sums[j] += weight * value;
  });
  fractions_ |= fractions;
  return hash;
}

void FeatureSums::accumulate(const Chunk& chunk) {
  first_row_ = chunk.first_row;
  check_weights(chunk, *x_);
  if (merge_ == Merge::kExact && fractions_) return;  // it is not: there will be another pass
  const bool sparse = !std::holds_alternative<Dense<float>>(chunk.x) &&
                      !std::holds_alternative<Dense<double>>(chunk.x);
  if (sparse && summand_.binary && summand_.threshold < 0) fail_threshold();
  fill();
  std::visit(
      [&](const auto& x) {
        for (Index i = 0; i < x.rows; ++i) {
          const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
          const double w = chunk.weight(i);
          fractions_ |= !is_whole(w);
          if (label < 0) {
            ++unlabelled_;
            unlabelled_hash_ += mix(row_hash(x, i), std::bit_cast<std::uint64_t>(w));
            continue;
          }
          weight_[usize(label)] += w;
          const std::uint64_t key = mix(std::bit_cast<std::uint64_t>(w), usize(label));
          hash_ += mix(add_row(x, i, w, &sums_[usize(label * columns_)]), key);
        }
      },
      chunk.x);
}

void FeatureSums::share(const Chunk& chunk, std::span<const double> weights) {
  first_row_ = chunk.first_row;
  fill();
  const Index k = classes();
  for (Index at = 0; at < ssize(weights); ++at) {
    const double w = weights[usize(at)];
    if (w == 0) continue;
    const Index row = at / k, label = at % k;
    fractions_ |= !is_whole(w);
    weight_[usize(label)] += w;
    std::visit([&](const auto& x) { add_row(x, row, w, &sums_[usize(label * columns_)]); },
               chunk.x);
  }
}

void FeatureSums::add(const FeatureSums& other, double sign) {
  fill();
  for (std::size_t i = 0; i < other.sums_.size(); ++i) sums_[i] += sign * other.sums_[i];
  for (std::size_t c = 0; c < weight_.size(); ++c) weight_[c] += sign * other.weight_[c];
  fractions_ |= other.fractions_;
  hash_ += sign > 0 ? other.hash_ : -other.hash_;
}

void FeatureSums::check_subtracted(const Source& x) {
  const auto check = [&](std::vector<double>& sums) {
    const double largest = *std::max_element(sums.begin(), sums.end());
    for (double& sum : sums) {
      if (sum >= 0) continue;
      if (!fractions_ || sum < -1e-9 * largest) {
        throw InputError(Code::kBadTarget, {.file = x.name()},
                         "the model has not seen all of these rows",
                         "Only rows that it was fitted on can be unlearned.");
      }
      sum = 0;
    }
  };
  check(sums_);
  check(weight_);
}

void FeatureSums::merge(const FeatureSums& next) {
  add(next, 1);
  unlabelled_ += next.unlabelled_;
  unlabelled_hash_ += next.unlabelled_hash_;
}

void FeatureSums::write(Writer& writer) const {
  writer.put(unlabelled_);
  writer.put(fractions_);
  writer.put(hash_);
  writer.put(unlabelled_hash_);
  writer.put(sums_);
  writer.put(weight_);
}

void FeatureSums::read(Reader& reader) {
  reader.get(unlabelled_);
  reader.get(fractions_);
  reader.get(hash_);
  reader.get(unlabelled_hash_);
  reader.get(sums_);
  reader.get(weight_);
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

FeatureSums sum_features(Source& x, Index classes, Summand summand, const Exec& exec) {
  FeatureSums sums = fold(x, FeatureSums(x, classes, summand, Merge::kExact), exec);
  if (sums.whole()) return sums;
  return fold(x, FeatureSums(x, classes, summand, Merge::kTree), exec);
}

}  // namespace craton
