#include "craton/tables/points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "craton/base/error.h"
#include "craton/base/large_pages.h"
#include "craton/base/narrowest.h"
#include "craton/base/random.h"
#include "craton/base/value_hash.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/sorting.h"
#include "craton/tables/columns.h"

// All rows are copied, and sorted by numbers that are quick to compare: O(n log n). Beside the copy
// that takes one number for each row.

namespace craton {
namespace {

bool is_whole(double weight) { return weight == std::floor(weight); }

// < 0, 0 or > 0, as row a comes before, with or after row b.
int compare(const double* a, const double* b, Index columns) {
  for (Index j = 0; j < columns; ++j) {
    if (a[j] != b[j]) return a[j] < b[j] ? -1 : 1;
  }
  return 0;
}

// Every row of positive weight, in the order of the table; with targets, each has its own behind
// it. Of a table that is as it should be, `hash` is that of its columns; else `sound` is false.
struct Rows {
  Points points;
  std::uint64_t hash = 0;
  bool sound = true;
};

// What tasks find, each in a place of its own.
struct FoundByTasks {
  static constexpr Index kLeastRows = 256;  // of a chunk but the last
  explicit FoundByTasks(Index rows)
      : hash(usize(rows / kLeastRows + 1)), sound(usize(rows / kLeastRows + 1), 1) {}
  std::vector<std::uint64_t> hash;
  std::vector<char> sound;
};

Rows rows_of(Source& x, bool targets, const Exec& exec) {
  const Index rows = x.shape().rows, cols = x.shape().cols, d = cols + (targets ? 1 : 0);
  std::vector<std::uint64_t> keys;
  for (std::size_t j = 0; j < usize(cols); ++j) keys.push_back(mix(0, j));
  constexpr Index kPadding = 8;  // of the last block of sums that take them
  std::vector<double> values = room_in_large_pages<double>(usize(rows * d + kPadding));
  values.resize(usize(rows * d));
  std::vector<double> weights(has_weights(x) ? usize(rows) : 0);
  FoundByTasks found(rows);
  for_rows(x, exec, [&](const Chunk& chunk) {
    if (targets) check_targets(chunk, x);
    std::uint64_t hash_of_all = 0;
    bool sound = true;
    visit_dense(chunk.x, [&]<class T>(const Dense<T>& from) {
      for (Index i = 0; i < from.rows; ++i) {
        double* const out = &values[usize((chunk.first_row + i) * d)];
        std::uint64_t hash = 0;
        for (Index j = 0; j < cols; ++j) {
          const double value = static_cast<double>(from.row(i)[j]) + 0.0;  // -0 + 0 is 0
          sound = sound && value - value == 0;
          hash += hash_value(value, keys[usize(j)]);
          out[j] = value;
        }
        if (targets) out[d - 1] = chunk.targets[usize(i)] + 0.0;
        const double weight = chunk.weight(i);
        sound = sound && weight >= 0 && weight < INFINITY;
        if (weight > 0) hash_of_all += mix(hash, std::bit_cast<std::uint64_t>(weight));
      }
    });
    const std::size_t task = usize(chunk.first_row / FoundByTasks::kLeastRows);
    found.hash[task] = hash_of_all;
    found.sound[task] = sound;
    if (!weights.empty()) {
      for (Index i = 0; i < chunk.rows(); ++i)
        weights[usize(chunk.first_row + i)] = chunk.weight(i);
    }
  });
  Index kept = weights.empty() ? rows : 0;
  for (Index i = 0; i < ssize(weights); ++i) {
    if (weights[usize(i)] == 0) continue;
    if (kept < i) {
      std::copy_n(&values[usize(i * d)], d, &values[usize(kept * d)]);
      weights[usize(kept)] = weights[usize(i)];
    }
    ++kept;
  }
  values.resize(usize(kept * d));
  weights.resize(weights.empty() ? 0 : usize(kept));
  Rows all;
  all.points = {d, std::move(values),
                weights.empty() ? RowWeights::ones(kept) : RowWeights(std::move(weights))};
  for (const std::uint64_t hash : found.hash) all.hash += hash;
  all.sound = kept > 0 && std::ranges::all_of(found.sound, [](char sound) { return sound != 0; });
  return all;
}

// Where rows lie in order. What is sorted has the number of a row in its last bits, and before
// them the first bits of the row in a column; rows that these do not tell apart are compared.
class RowOrder {
 public:
  using Key = std::uint64_t;

  explicit RowOrder(const Points& points)
      : points_(points),
        number_((Key{1} << std::bit_width(static_cast<Key>(points.size()))) - 1),
        keys_(usize(points.size())) {
    std::iota(keys_.begin(), keys_.end(), Key{0});
    sort(keys_, 0);
  }

  // Rows, then weights, in that order: one of them takes memory twice at a time.
  void apply(Points& points, const Exec& exec) const {
    const std::size_t d = usize(points.columns);
    std::vector<double> rows = zeros_in_large_pages<double>(points.rows.size());
    for_places(exec, [&](std::size_t place, std::size_t from) {
      std::copy_n(&points.rows[from * d], d, &rows[place * d]);
    });
    points.rows = std::move(rows);
    if (points.weights.all_one()) return;
    std::vector<double> weights(keys_.size());
    for_places(exec,
               [&](std::size_t place, std::size_t from) { weights[place] = points.weights[from]; });
    points.weights = std::move(weights);
  }

 private:
  static constexpr std::size_t kFew = 32;

  template <class Move>
  void for_places(const Exec& exec, const Move& move) const {
    constexpr std::size_t kTogether = 1 << 13;
    for_each(static_cast<Index>((keys_.size() + kTogether - 1) / kTogether), exec, [&](Index task) {
      const std::size_t first = usize(task) * kTogether;
      for (std::size_t i = first; i < std::min(keys_.size(), first + kTogether); ++i) {
        move(i, keys_[i]);
      }
    });
  }

  double value(Key key, Index column) const {
    return points_.rows[(key & number_) * usize(points_.columns) + usize(column)];
  }

  // Of equal rows those of whole weight come first, then by weight.
  bool before(Key a, Key b) const {
    const Index d = points_.columns;
    const std::size_t row_a = a & number_, row_b = b & number_;
    const int order = compare(&points_.rows[row_a * usize(d)], &points_.rows[row_b * usize(d)], d);
    if (order != 0) return order < 0;
    const double weight_a = points_.weights[row_a], weight_b = points_.weights[row_b];
    if (is_whole(weight_a) != is_whole(weight_b)) return is_whole(weight_a);
    return weight_a < weight_b;
  }

  // Rows that are equal in the columns before this one.
  void sort(std::span<Key> keys, Index column) {
    const auto by_rows = [&](Key a, Key b) { return before(a, b); };
    if (keys.size() <= kFew || column == points_.columns) {
      for (Key& key : keys) key &= number_;
      std::ranges::sort(keys, by_rows);
      return;
    }
    // About one of them, as far from 0 all have the same first bits. Differences of ascending
    // numbers never descend.
    const double centre = value(keys[keys.size() / 2], column);
    for (Key& key : keys)
      key = (ascending_bits(value(key, column) - centre) & ~number_) | (key & number_);
    sort_ascending(keys);
    for (std::size_t first = 0, last = 0; first < keys.size(); first = last) {
      for (last = first + 1;
           last < keys.size() && (keys[last] | number_) == (keys[first] | number_);)
        ++last;
      const std::span<Key> run = keys.subspan(first, last - first);
      const double v = run.size() > 1 ? value(run[0], column) : 0;
      if (run.size() > 1 &&
          std::ranges::all_of(run, [&](Key key) { return value(key, column) == v; })) {
        sort(run, column + 1);
      } else {
        for (Key& key : run) key &= number_;
        if (run.size() > 1) std::ranges::sort(run, by_rows);
      }
    }
  }

  // A number that ascends with this one.
  static Key ascending_bits(double v) {
    const auto bits = std::bit_cast<Key>(v + 0.0);
    return bits >> 63 != 0 ? ~bits : bits | Key{1} << 63;
  }

  const Points& points_;
  Key number_;  // the bits of the number of a row
  std::vector<Key> keys_;
};

// Of rows in that order, each once.
void add_up_equal_rows(Points& points) {
  const Index d = points.columns;
  const bool differ = d == 1 && std::ranges::adjacent_find(points.rows) == points.rows.end();
  if (differ || points.size() == 0) return;
  Index kept = 0;
  RowWeights sums;
  sums.push_back(points.weights[0]);
  for (Index i = 1; i < points.size(); ++i) {
    const double* const row = &points.rows[usize(i * d)];
    if (compare(row, &points.rows[usize(kept * d)], d) == 0) {
      sums.add_to_last(points.weights[usize(i)]);
      continue;
    }
    sums.push_back(points.weights[usize(i)]);
    if (++kept < i) std::copy_n(row, d, &points.rows[usize(kept * d)]);
  }
  points.rows.resize(usize((kept + 1) * d));
  points.weights = sums.all_one() ? std::move(sums) : RowWeights(std::move(sums).take());
}

}  // namespace

RowWeights::RowWeights(std::vector<double> values)
    : size_(values.size()), values_(std::move(values)) {
  if (std::ranges::all_of(values_, [](double w) { return w == 1; })) values_ = {};
}

RowWeights RowWeights::ones(Index size) {
  RowWeights weights;
  weights.size_ = usize(size);
  return weights;
}

void RowWeights::push_back(double weight) {
  const bool one = all_one() && weight == 1;
  if (all_one() && !one) values_.assign(size_, 1);
  if (!one) values_.push_back(weight);
  ++size_;
}

void RowWeights::add_to_last(double weight) {
  if (all_one()) values_.assign(size_, 1);
  values_.back() += weight;
}

std::vector<double> RowWeights::all() const {
  return all_one() ? std::vector<double>(size_, 1) : values_;
}

double Points::weight() const {
  if (weights.all_one()) return static_cast<double>(size());
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

double Points::range(Index column) const {
  double low = INFINITY, high = -INFINITY;
  for (Index i = 0; i < size(); ++i) {
    low = std::min(low, view().row(i)[column]);
    high = std::max(high, view().row(i)[column]);
  }
  return high - low;
}

Points sorted_points(Points points, const Exec& exec) {
  if (points.columns == 1 && points.weights.all_one()) {
    sort_ascending(points.rows);
  } else {
    RowOrder(points).apply(points, exec);
  }
  add_up_equal_rows(points);
  return points;
}

Points points_of(Source& x, const Exec& exec, std::uint64_t* data_hash) {
  check_some(x);
  Rows rows = rows_of(x, false, exec);
  // What is wrong, and where, is for check_table() to say.
  if (!rows.sound) check_table(x, exec);
  Points points = sorted_points(std::move(rows.points), exec);
  const double weight = points.weight();
  bool in_range = weight <= kHeaviest && weight >= 1 / kHeaviest;
  for (Index j = 0; j < points.columns; ++j) {  // the first ascends
    const double range =
        j == 0 ? points.rows[usize((points.size() - 1) * points.columns)] - points.rows[0]
               : points.range(j);
    in_range = in_range && range <= kWidest;
  }
  if (!in_range) check_table(x, exec);
  if (data_hash != nullptr) *data_hash = rows.hash;
  return points;
}

Points points_with_targets(Source& x, const Exec& exec) {
  return sorted_points(rows_of(x, true, exec).points, exec);
}

Points merged(const Points& a, const Points& b) {
  const Index d = a.columns;
  Points both{d, {}, {}};
  both.rows.reserve(a.rows.size() + b.rows.size());
  for (Index i = 0, j = 0; i < a.size() || j < b.size();) {
    const int order = i == a.size()   ? 1
                      : j == b.size() ? -1
                                      : compare(a.view().row(i), b.view().row(j), d);
    const double* const row = order <= 0 ? a.view().row(i) : b.view().row(j);
    double weight = order <= 0 ? a.weights[usize(i)] : b.weights[usize(j)];
    if (order == 0) weight += b.weights[usize(j)];
    both.rows.insert(both.rows.end(), row, row + d);
    both.weights.push_back(weight);
    i += order <= 0 ? 1 : 0;
    j += order >= 0 ? 1 : 0;
  }
  return both;
}

Points without(const Points& a, const Points& b) {
  Points left{a.columns, {}, {}};
  Index taken = 0;
  for (Index i = 0; i < a.size(); ++i) {
    const double* const row = a.view().row(i);
    double weight = a.weights[usize(i)];
    if (taken < b.size() && compare(row, b.view().row(taken), a.columns) == 0) {
      weight -= b.weights[usize(taken++)];
    }
    if (weight < 0) break;
    if (weight == 0) continue;
    left.rows.insert(left.rows.end(), row, row + a.columns);
    left.weights.push_back(weight);
  }
  if (taken < b.size() || left.size() == 0) {
    throw InputError(Code::kBadTarget, {}, "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  }
  return left;
}

NarrowNumbers::NarrowNumbers(std::span<const double> values) {
  const NarrowestValues narrow(values);
  const auto take = [&]<class T>(T) {
    std::vector<T> numbers(values.size());
    std::memcpy(numbers.data(), narrow.bytes.data(), narrow.bytes.size());
    values_ = std::move(numbers);
  };
  if (narrow.width == Width::kInt16) {
    take(std::int16_t{});
  } else if (narrow.width == Width::kFloat) {
    take(float{});
  } else {
    take(double{});
  }
}

std::vector<double> NarrowNumbers::wide() const {
  return std::visit(
      [](const auto& values) {
        std::vector<double> wide(values.size());
        std::ranges::transform(values, wide.begin(), [](auto v) { return widened(v); });
        return wide;
      },
      values_);
}

void NarrowNumbers::visit(ParameterVisitor& v, std::string_view name, std::string_view help,
                          std::span<const Index> shape) const {
  if (const auto* doubles = std::get_if<0>(&values_)) {
    v.doubles(name, help, shape, *doubles);
  } else if (const auto* floats = std::get_if<1>(&values_)) {
    v.floats(name, help, shape, *floats);
  } else {
    v.int16s(name, help, shape, std::get<2>(values_));
  }
}

Array wide_parameter(const ParameterList& parameters, std::string_view name,
                     std::span<const Index> shape) {
  const ParameterView* const found = parameters.find(name);
  if (found != nullptr) {
    if (std::holds_alternative<std::span<const float>>(found->elements)) {
      const auto values = parameters.floats(name, shape);
      return {found->shape, {values.begin(), values.end()}};
    }
    if (std::holds_alternative<std::span<const std::int16_t>>(found->elements)) {
      Array wide{found->shape, {}};
      for (const std::int16_t v : parameters.int16s(name, shape)) wide.values.push_back(widened(v));
      return wide;
    }
  }
  return parameters.doubles(name, shape).copy();
}

}  // namespace craton
