#include "craton/tables/columns.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/parameters.h"
#include "craton/base/random.h"
#include "craton/base/value_hash.h"
#include "craton/kernels/row_moments.h"

namespace craton {
namespace {

[[noreturn]] void fail_not_finite(double value, const Place& place) {
  throw InputError(
      Code::kNotFinite, place,
      std::isnan(value) ? "the value is NaN (missing), but this model needs every value"
                        : "the value is infinite (inf), but this model needs finite numbers",
      std::isnan(value)
          ? Message("Remove such rows, or fill them in: {}.", Ref::option("fill", "median"))
          : "Remove such rows.");
}

constexpr auto not_finite = [](auto value) { return !std::isfinite(value); };
constexpr auto infinite = [](auto value) { return std::isinf(value); };

// The first bad value of the row: where it stands and in which column; none: null.
template <class T, class Bad>
std::pair<const T*, Index> first_bad(const Dense<T>& x, Index row, const Bad& is_bad) {
  const T *first = x.row(row), *last = first + x.cols;
  const T* bad = std::find_if(first, last, is_bad);
  return {bad == last ? nullptr : bad, bad - first};
}
template <class T, class Bad>
std::pair<const T*, Index> first_bad(const Sparse<T>& x, Index row, const Bad& is_bad) {
  const T *first = x.values + x.offsets[row], *last = x.values + x.offsets[row + 1];
  const T* bad = std::find_if(first, last, is_bad);
  if (bad == last) return {nullptr, 0};
  return {bad, x.columns[bad - x.values]};
}

template <class Bad>
void check_none(const Chunk& chunk, const Source& x, const Bad& is_bad) {
  const auto check = [&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      const auto [bad, column] = first_bad(view, i, is_bad);
      if (bad != nullptr) fail_not_finite(*bad, x.place_of(chunk.first_row + i, column));
    }
  };
  std::visit(check, chunk.x);
}

}  // namespace

void refuse_sparse() {
  throw InputError(Code::kUnsupported, {}, "the data are sparse, and this model takes dense rows",
                   "Convert them: .toarray() in Python.");
}

void check_weights(const Chunk& chunk, const Source& x) {
  for (Index i = 0; i < std::ssize(chunk.weights); ++i) {
    const double w = chunk.weight(i);
    if (w >= 0 && std::isfinite(w)) continue;
    throw InputError(Code::kBadWeight, x.place_of(chunk.first_row + i),
                     fmt::format("the weight is {}, but weights are finite and not negative", w),
                     "A row of weight 0 is left out; a row of weight 2 counts twice.");
  }
}

void check_targets(const Chunk& chunk, const Source& x) {
  const auto& target = x.schema().target;
  const std::string name = target ? target->name : "";
  if (chunk.targets.empty() && chunk.rows() > 0) {
    throw InputError(
        Code::kBadTarget, {.file = x.name(), .column = name}, "the rows have no numbers as targets",
        {"{}.", Ref::either("Name the column of them with --target", "Give them as y")});
  }
  const auto bad = std::ranges::find_if(chunk.targets, not_finite);
  if (bad == chunk.targets.end()) return;
  Place place = x.place_of(chunk.first_row + (bad - chunk.targets.begin()));
  place.column = name;
  throw InputError(
      Code::kBadTarget, place,
      std::isnan(*bad) ? "the target is missing (NaN)" : "the target is infinite (inf)",
      {"{}.", Ref::either(std::isnan(*bad) ? "Remove such rows, or give --missing skip"
                                           : "Remove such rows",
                          "Remove such rows")});
}

void check_finite(const Chunk& chunk, const Source& x) { check_none(chunk, x, not_finite); }
void check_not_infinite(const Chunk& chunk, const Source& x) { check_none(chunk, x, infinite); }

void check_infinite(const Chunk& chunk, Index row, const Source& x) {
  const auto check = [&](const auto& view) {
    const auto [bad, column] = first_bad(view, row, infinite);
    if (bad != nullptr) fail_not_finite(*bad, x.place_of(chunk.first_row + row, column));
  };
  std::visit(check, chunk.x);
}

ColumnStatistics::ColumnStatistics(const Source& x, Takes takes, RowKeys* keys)
    : ColumnStatistics(x.shape().cols) {
  source_ = &x;
  takes_ = takes;
  of_rows_ = keys;
}

ColumnStatistics::ColumnStatistics(Index columns)
    : mean_(usize(columns)),
      scatter_(mean_.size()),
      low_(mean_.size(), INFINITY),
      high_(mean_.size(), -INFINITY) {
  for (std::size_t j = 0; j < mean_.size(); ++j) keys_.push_back(mix(0, j));
}

std::vector<double> ColumnStatistics::variance() const {
  std::vector<double> result = scatter_;
  for (double& v : result) v /= weight_;
  return result;
}

double ColumnStatistics::mean_variance() const {
  double sum = 0;
  for (const double v : variance()) sum += v;
  return sum / static_cast<double>(mean_.size());
}

std::string ColumnStatistics::data_hash() const { return fmt::format("{:016x}", hash_); }

// Rows one after another, as if each came alone; some together, so that the moments are read and
// written once for all of them.
template <std::size_t kRows, class T>
void ColumnStatistics::add_rows(const T* const* rows, const double* weights,
                                const std::size_t* numbers) {
  double share[kRows];
  std::uint64_t hash[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    weight_ += weights[r];
    share[r] = weights[r] / weight_;
  }
  add_to_moments(rows, {Index{kRows}, weights, share, hash}, ssize(mean_), keys_.data(),
                 {mean_.data(), scatter_.data(), low_.data(), high_.data()});
  for (std::size_t r = 0; r < kRows; ++r) {
    if (of_rows_ != nullptr) of_rows_->hash[numbers[r]] = hash[r];
    hash_ += mix(hash[r], std::bit_cast<std::uint64_t>(weights[r]));
  }
  rows_ += Index{kRows};
}

// The entries of each column make moments of their own, and those of its zeros are merged in at the
// end.
template <class T>
void ColumnStatistics::add_sparse(const Sparse<T>& x, const Chunk& chunk) {
  if (rows_ > 0) {
    ColumnStatistics next(*source_, takes_, of_rows_);
    next.add_sparse(x, chunk);
    return merge(next);
  }
  sparse_ = true;
  std::uint64_t hash_of_zeros = 0;
  for (const std::uint64_t key : keys_) hash_of_zeros += hash_value(0, key);
  std::vector<double> entries(mean_.size());  // their weight, by column
  std::vector<Index> count(mean_.size());
  for (Index i = 0; i < x.rows; ++i) {
    const double w = chunk.weight(i);
    if (w == 0) continue;
    weight_ += w;
    ++rows_;
    std::uint64_t hash = hash_of_zeros;
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      const std::size_t j = usize(x.columns[e]);
      const double value = static_cast<double>(x.values[e]), delta = value - mean_[j];
      hash += hash_value(value, keys_[j]) - hash_value(0, keys_[j]);
      entries[j] += w;
      ++count[j];
      mean_[j] += w / entries[j] * delta;
      scatter_[j] += w * delta * (value - mean_[j]);
      low_[j] = std::min(low_[j], value);
      high_[j] = std::max(high_[j], value);
    }
    if (of_rows_ != nullptr) of_rows_->hash[usize(chunk.first_row + i)] = hash;
    hash_ += mix(hash, std::bit_cast<std::uint64_t>(w));
  }
  for (std::size_t j = 0; j < mean_.size() && rows_ > 0; ++j) {
    if (count[j] == rows_) continue;
    const double share = entries[j] / weight_;
    scatter_[j] += entries[j] * (1 - share) * mean_[j] * mean_[j];
    mean_[j] *= share;
    low_[j] = std::min(low_[j], 0.0);
    high_[j] = std::max(high_[j], 0.0);
  }
}

void ColumnStatistics::accumulate(const Chunk& chunk) {
  check_weights(chunk, *source_);
  if (of_rows_ != nullptr) {
    std::copy(chunk.weights.begin(), chunk.weights.end(),
              of_rows_->weight.begin() + chunk.first_row);
  }
  if (const auto* doubles = std::get_if<Sparse<double>>(&chunk.x)) {
    check_finite(chunk, *source_);
    return takes_ == Takes::kDense ? refuse_sparse() : add_sparse(*doubles, chunk);
  }
  if (const auto* floats = std::get_if<Sparse<float>>(&chunk.x)) {
    check_finite(chunk, *source_);
    return takes_ == Takes::kDense ? refuse_sparse() : add_sparse(*floats, chunk);
  }
  if (!chunk.weights.empty()) check_finite(chunk, *source_);  // rows of weight 0 are not added
  visit_dense(chunk.x, [&]<class T>(const Dense<T>& x) {
    constexpr std::size_t kTogether = usize(NextRows::kMost);
    const T* rows[kTogether];
    double weights[kTogether];
    std::size_t numbers[kTogether], some = 0;
    for (Index i = 0; i < x.rows; ++i) {
      if (chunk.weight(i) == 0) continue;
      rows[some] = x.row(i);
      numbers[some] = usize(chunk.first_row + i);
      weights[some++] = chunk.weight(i);
      if (some == kTogether) add_rows<kTogether>(rows, weights, numbers);
      some %= kTogether;
    }
    for (std::size_t r = 0; r < some; ++r) add_rows<1>(rows + r, weights + r, numbers + r);
  });
  // A value that is not finite leaves a mean or a sum that is not. So may squares that overflow.
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    if (!std::isfinite(mean_[j] + scatter_[j])) return check_finite(chunk, *source_);
  }
}

void ColumnStatistics::merge(const ColumnStatistics& next) {
  sparse_ = sparse_ || next.sparse_;
  if (next.weight_ == 0) return;
  const double total = weight_ + next.weight_, share = next.weight_ / total;
  for (std::size_t j = 0; j < mean_.size(); ++j) {
    const double delta = next.mean_[j] - mean_[j];
    mean_[j] += share * delta;
    scatter_[j] += next.scatter_[j] + weight_ * share * delta * delta;
    low_[j] = std::min(low_[j], next.low_[j]);
    high_[j] = std::max(high_[j], next.high_[j]);
  }
  weight_ = total;
  rows_ += next.rows_;
  hash_ += next.hash_;
}

void ColumnStatistics::write(Writer& writer) const {
  writer.put(weight_);
  writer.put(rows_);
  writer.put(hash_);
  writer.put(sparse_);
  for (const auto* values : {&mean_, &scatter_, &low_, &high_}) writer.put(*values);
}

void ColumnStatistics::read(Reader& reader) {
  reader.get(weight_);
  reader.get(rows_);
  reader.get(hash_);
  reader.get(sparse_);
  for (auto* values : {&mean_, &scatter_, &low_, &high_}) reader.get(*values);
}

Array ColumnStatistics::to_array() const {
  constexpr std::uint64_t kHalf = 0xffffffff;
  Array array{{4 + 4 * std::ssize(mean_)}, {}};
  array.values = {weight_, static_cast<double>(rows_), static_cast<double>(hash_ >> 32),
                  static_cast<double>(hash_ & kHalf)};
  for (const auto* values : {&mean_, &scatter_, &low_, &high_}) {
    array.values.insert(array.values.end(), values->begin(), values->end());
  }
  return array;
}

ColumnStatistics ColumnStatistics::from_array(const Array& array, Index columns) {
  constexpr double kMostRows = 0x1p53, kHalf = 0x1p32;
  if (array.shape != std::vector<Index>{4 + 4 * columns}) {
    fail_parameters("what it remembers of its columns has the wrong shape");
  }
  const auto whole = [](double v, double end) { return v >= 0 && v < end && v == std::floor(v); };
  const std::vector<double>& v = array.values;
  bool sound = v[0] > 0 && v[0] <= kHeaviest && whole(v[1], kMostRows) && v[1] > 0 &&
               whole(v[2], kHalf) && whole(v[3], kHalf);
  ColumnStatistics result(columns);
  auto from = v.begin() + 4;
  for (auto* values : {&result.mean_, &result.scatter_, &result.low_, &result.high_}) {
    std::copy_n(from, columns, values->begin());
    from += columns;
  }
  for (Index j = 0; j < columns; ++j) {
    sound = sound && std::isfinite(result.mean_[usize(j)]) && result.scatter_[usize(j)] >= 0 &&
            std::isfinite(result.scatter_[usize(j)]) && result.range(j) >= 0 &&
            std::isfinite(result.range(j));
  }
  if (!sound) fail_parameters("what it remembers of its columns makes no sense");
  result.weight_ = v[0];
  result.rows_ = static_cast<Index>(v[1]);
  result.hash_ = static_cast<std::uint64_t>(v[2]) << 32 | static_cast<std::uint64_t>(v[3]);
  return result;
}

void check_total_weight(double weight, const Source& x) {
  const Place file{.file = x.name()};
  if (weight == 0) {
    throw InputError(Code::kBadWeight, file, "every row has weight 0", "Give some row a weight.");
  }
  if (weight <= kHeaviest && weight >= 1 / kHeaviest) return;
  throw InputError(Code::kBadWeight, file,
                   fmt::format("the weights sum to {:g}, but their sum lies between {:g} and {:g}",
                               weight, 1 / kHeaviest, kHeaviest),
                   "Divide or multiply all weights by one power of ten: the result is the same.");
}

void check_some(const Source& x) {
  const Place file{.file = x.name()};
  if (x.shape().cols == 0) {
    throw InputError(Code::kBadShape, file, "there are no columns of numbers (0 features)",
                     "Give a table with at least one column of numbers.");
  }
  if (x.shape().rows == 0) {
    throw InputError(Code::kNoRows, file, "there are no rows (0 samples)",
                     "Check that the file is the one you meant.");
  }
}

ColumnStatistics check_table(Source& x, const Exec& exec, Takes takes, RowKeys* keys) {
  check_some(x);
  const ColumnStatistics result = fold(x, ColumnStatistics(x, takes, keys), exec);
  check_total_weight(result.weight(), x);
  for (Index j = 0; j < x.shape().cols; ++j) {
    if (result.range(j) <= kWidest) continue;
    throw InputError(
        Code::kNotFinite, {.file = x.name(), .column = x.schema().name(j)},
        fmt::format("the values spread over {:g}, so their squares overflow", result.range(j)),
        "Divide the column by a power of ten.");
  }
  return result;
}

void check_start(const Message& what, const Array& rows, const ColumnStatistics& columns) {
  const std::size_t cols = columns.mean().size();
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (std::abs(rows.values[i] - columns.mean()[i % cols]) <= kWidest) continue;
    throw InputError(Code::kBadOption, {},
                     {"{} has the value {} in row {}, so far from the data that squares overflow",
                      what, fmt::format("{:g}", rows.values[i]), i / cols},
                     "Give a start that lies among the data.");
  }
}

void fail_too_far(const Source& x, Index row) {
  throw InputError(
      Code::kNotFinite, x.place_of(row),
      "the row lies so far from all that the model knows that the squares of its "
      "distances overflow",
      "Check its units; divide the columns by a power of ten and fit again if they are "
      "meant.");
}

}  // namespace craton
