#include "craton/classes/counts/feature_sums.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/base/large_pages.h"
#include "craton/base/parameters.h"
#include "craton/base/random.h"
#include "craton/base/value_hash.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"
#include "craton/tables/columns.h"

namespace craton {
namespace {

// Calls f(value, column) for the entries of a row; returns a hash of them. Sums of many columns are
// far away: they are sent for early.
template <class T, class F>
std::uint64_t for_entries(const Dense<T>& x, Index row, const void*, const F& f) {
  const T* const values = x.row(row);
  std::uint64_t hash = 0;
  for (Index j = 0; j < x.cols; ++j) {
    const double value = static_cast<double>(values[j]);
    hash += hash_entry(value, usize(j));
    f(value, j);
  }
  return hash;
}
template <class T, class Cell, class F>
std::uint64_t for_entries(const Sparse<T>& x, Index row, const Cell* sums, const F& f) {
  constexpr Index kAhead = 24;
  const Index last = x.offsets[row + 1];
  std::uint64_t hash = 0;
  for (Index e = x.offsets[row]; e < last; ++e) {
    if (e + kAhead < last) __builtin_prefetch(sums + x.columns[e + kAhead], 1);
    const double value = static_cast<double>(x.values[e]);
    hash += hash_entry(value, usize(x.columns[e]));
    f(value, x.columns[e]);
  }
  return hash;
}

}  // namespace

FeatureSums::FeatureSums(const Source& x, Index columns, Index classes, Summand summand,
                         Summing summing, double largest)
    : x_(&x),
      columns_(columns),
      summand_(summand),
      summing_(summing),
      adder_(summing == Summing::kOrderFree ? OrderFreeAdder::of(largest, x.shape().rows)
                                            : OrderFreeAdder()),
      weight_(usize(classes)) {}

FeatureSums FeatureSums::from(std::vector<double> sums, std::vector<double> weight,
                              std::uint64_t hash) {
  FeatureSums result;
  result.columns_ = ssize(sums) / ssize(weight);
  result.fractions_ =
      !std::ranges::all_of(sums, is_whole) || !std::ranges::all_of(weight, is_whole);
  result.sums_ = std::move(sums);
  result.weight_ = std::move(weight);
  result.hash_ = hash;
  return result;
}

FeatureSums FeatureSums::remembered(const Array& sums, const Array& weight, std::uint64_t hash) {
  constexpr double kMostSum = 1e150;  // products of such sums are finite
  for (const Array* array : {&sums, &weight}) {
    for (const double v : array->values) {
      if (!(v >= 0 && v <= kMostSum)) fail_parameters("a count that it remembers is not one");
    }
  }
  return from(sums.values, weight.values, hash);
}

FeatureSums FeatureSums::none(Index columns, Index classes) {
  FeatureSums result;
  result.columns_ = columns;
  result.weight_.resize(usize(classes));
  return result;
}

double FeatureSums::of(Index label, Index column) const {
  const std::size_t at = usize(label * columns_ + column);
  if (!counts_.empty()) return counts_.data()[at];
  return low_.empty() ? sums_[at] : sums_[at] + low_[at];
}

NonzeroSums FeatureSums::nonzero(const Exec& exec) const {
  NonzeroSums result{columns_, std::vector<NonzeroSums::OfClass>(weight_.size()), weight_,
                     unlabelled_, hash_};
  if (sums_.empty() && counts_.empty()) return result;
  const std::size_t count = usize(columns_);
  for_each(classes(), exec, [&](Index c) {
    const std::size_t first = usize(c) * count;
    const auto part = [&](const std::vector<double>& sums) {
      return std::span(sums).subspan(sums.empty() ? 0 : first, sums.empty() ? 0 : count);
    };
    result.of_class[usize(c)] =
        counts_.empty() ? NonzeroSums::OfClass::of(part(sums_), part(low_))
                        : NonzeroCounts(count).among(std::span(counts_.data() + first, count));
  });
  return result;
}

void fail_threshold() {
  throw InputError(Code::kBadOption, {}, "binarize is below 0, which makes zeros count",
                   "Give 0 or more for sparse rows, or make them dense.");
}

// Rows that nobody looked at may be such where the model's file is hostile: then there is no table
// to name (none()).
void FeatureSums::refuse(double value, Index row, Index column) const {
  const Place place = x_ == nullptr ? Place{.row = row} : x_->place_of(row, column);
  if (!std::isfinite(value)) {
    throw InputError(
        Code::kNotFinite, place,
        std::isnan(value) ? "the value is missing (NaN)" : "the value is infinite (inf)",
        "This model needs finite numbers.");
  }
  throw InputError(Code::kOutsideSupport, place, fmt::format("the value {} is negative", value),
                   "Negative values in data are no counts: use another model, or bernoulli-nb, "
                   "which asks only what is above a number.");
}

void FeatureSums::fill() {
  const std::size_t cells = usize(classes() * columns_);
  if (!sums_.empty() || !counts_.empty()) return;
  if (summing_ == Summing::kCounts) {
    counts_ = LargePageTable<std::uint32_t>(cells);
  } else {
    sums_ = zeros_in_large_pages<double>(cells);
    if (summing_ == Summing::kOrderFree) low_ = zeros_in_large_pages<double>(cells);
  }
}

void FeatureSums::widen() {
  if (!counts_.empty()) sums_.assign(counts_.data(), counts_.data() + counts_.size());
  for (std::size_t i = 0; i < low_.size(); ++i) sums_[i] += low_[i];
  counts_ = {};
  low_.clear();
  summing_ = Summing::kNumbers;
}

template <class X>
std::uint64_t FeatureSums::add_numbers(const X& x, Index row, double weight, std::size_t first) {
  double *const sums = &sums_[first], *const low = low_.empty() ? nullptr : &low_[first];
  const auto add = [&](double term, Index j) {
    if (low) {
      adder_.add(term, sums[j], low[j]);
    } else {
      sums[j] += term;
    }
  };
  if (summand_.binary) {
    return for_entries(x, row, sums, [&](double value, Index j) {
      if (!std::isfinite(value)) refuse(value, first_row_ + row, j);
      if (value > summand_.threshold) add(weight, j);
    });
  }
  bool fractions = false;
  const std::uint64_t hash = for_entries(x, row, sums, [&](double value, Index j) {
    if (!(value >= 0 && value < kInfinite)) refuse(value, first_row_ + row, j);
    fractions |= !is_whole(value);
    add(weight * value, j);
  });
  fractions_ |= fractions;
  return hash;
}

// What is no count: refused, or a reason to sum otherwise.
template <class X>
void FeatureSums::look_closer(const X& x, Index row) {
  for_entries(x, row, counts_.data(), [&](double value, Index j) {
    const bool fine = summand_.binary ? std::isfinite(value) : value >= 0 && value < kInfinite;
    if (!fine) refuse(value, first_row_ + row, j);
    fractions_ |= !is_whole(value);
    too_large_ |= value >= kMostCount;
  });
}

template <class X>
std::uint64_t FeatureSums::add_row(const X& x, Index row, double weight, Index label) {
  const std::size_t first = usize(label * columns_);
  fractions_ |= !is_whole(weight);
  weight_[usize(label)] += weight;
  if (summing_ != Summing::kCounts) return add_numbers(x, row, weight, first);
  too_large_ |= !(weight < kMostCount);
  if (too_large_) return 0;
  const CountedRow added =
      add_counts(x, row, summand_, static_cast<std::uint32_t>(weight), counts_.data() + first);
  if (!added.fine) look_closer(x, row);
  total_ += weight * static_cast<double>(added.sum);
  too_large_ |= !(total_ < kMostCount);
  return added.hash;
}

void FeatureSums::accumulate(const Chunk& chunk) {
  first_row_ = chunk.first_row;
  check_weights(chunk, *x_);
  if (!sound()) return;  // there will be another pass
  const bool sparse = !std::holds_alternative<Dense<float>>(chunk.x) &&
                      !std::holds_alternative<Dense<double>>(chunk.x);
  if (sparse && summand_.binary && summand_.threshold < 0) fail_threshold();
  fill();
  std::visit(
      [&](const auto& x) {
        for (Index i = 0; i < x.rows; ++i) {
          const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
          const double w = chunk.weight(i);
          if (label < 0) {
            fractions_ |= !is_whole(w);
            ++unlabelled_;
            unlabelled_hash_ += mix(row_hash(x, i), std::bit_cast<std::uint64_t>(w));
            continue;
          }
          const std::uint64_t key = mix(std::bit_cast<std::uint64_t>(w), usize(label));
          hash_ += mix(add_row(x, i, w, label), key);
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
    std::visit([&](const auto& x) { add_row(x, row, w, label); }, chunk.x);
  }
}

void FeatureSums::add(const FeatureSums& other, double sign) {
  total_ += other.total_;
  too_large_ |= other.too_large_ || !(total_ < kMostCount);
  fill();
  const bool alike = summing_ == other.summing_ && sign > 0;
  if (alike && summing_ == Summing::kCounts) {
    std::uint32_t* const to = counts_.data();
    const std::uint32_t* const from = other.counts_.data();
    for (std::size_t i = 0; i < other.counts_.size(); ++i) to[i] += from[i];
  } else if (alike) {
    for (std::size_t i = 0; i < other.sums_.size(); ++i) sums_[i] += other.sums_[i];
    for (std::size_t i = 0; i < other.low_.size(); ++i) low_[i] += other.low_[i];
  } else {
    widen();
    const auto cells = static_cast<Index>(sums_.size());
    const bool any = !other.sums_.empty() || !other.counts_.empty();
    for (Index i = 0; i < cells && any; ++i) sums_[usize(i)] += sign * other.of(0, i);
  }
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
  writer.put(too_large_);
  writer.put(total_);
  writer.put(hash_);
  writer.put(unlabelled_hash_);
  writer.put(std::vector(counts_.data(), counts_.data() + counts_.size()));
  writer.put(sums_);
  writer.put(low_);
  writer.put(weight_);
}

void FeatureSums::read(Reader& reader) {
  reader.get(unlabelled_);
  reader.get(fractions_);
  reader.get(too_large_);
  reader.get(total_);
  reader.get(hash_);
  reader.get(unlabelled_hash_);
  std::vector<std::uint32_t> counts;
  reader.get(counts);
  counts_ = LargePageTable<std::uint32_t>(counts.size());
  std::copy(counts.begin(), counts.end(), counts_.data());
  reader.get(sums_);
  reader.get(low_);
  reader.get(weight_);
}

FeatureSums sum_features(Source& x, Index classes, Summand summand, const Exec& exec) {
  return sum_soundly(
      [&](Summing summing, double largest) {
        return fold(x, FeatureSums(x, classes, summand, summing, largest), exec);
      },
      [&] { return survey_terms(x, summand, exec); });
}

NonzeroSums checked(NonzeroSums sums, const Schema& schema, const std::string& file) {
  for (const NonzeroSums::OfClass& nonzero : sums.of_class) {
    if (nonzero.total <= kWidest) continue;
    const auto largest = std::max_element(nonzero.sums.begin(), nonzero.sums.end());
    const Index j = nonzero.features[usize(largest - nonzero.sums.begin())];
    throw InputError(Code::kNotFinite, {.file = file, .column = schema.name(j)},
                     fmt::format("the values sum to {:g} in a class, and products of such sums "
                                 "overflow",
                                 *largest),
                     "Divide the columns, or the weights, by a power of ten.");
  }
  return sums;
}

}  // namespace craton
