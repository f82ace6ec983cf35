#include "craton/classes/discriminant/class_moments.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/base/value_hash.h"
#include "craton/kernels/row_moments.h"
#include "craton/model/registry.h"
#include "craton/tables/columns.h"

// A chunk is summed about the first row of each class in it, without a look at the values: what is
// not finite shows in the sums, and those columns are gone through again.

namespace craton {
namespace {

// Of what is left after rows were taken away, and of what was: rounding.
constexpr double kRounding = 1e-9;

std::uint64_t key_of(double weight, std::int32_t label) {
  return mix(std::bit_cast<std::uint64_t>(weight), usize(label));
}

// The sums of powers of y.
struct Powers {
  double weight, sum, square, cube, fourth;
};

// Of y + a.
Powers moved(const Powers& m, double a) {
  const double n = m.weight, s = m.sum, q = m.square;
  return {n, s + n * a, q + a * (2 * s + n * a), m.cube + a * (3 * q + a * (3 * s + n * a)),
          m.fourth + a * (4 * m.cube + a * (6 * q + a * (4 * s + n * a)))};
}

}  // namespace

ClassMoments::ClassMoments(Index classes, Index columns, Order order)
    : order_(order),
      columns_(columns),
      class_weight_(usize(classes)),
      weight_(usize(classes * columns)),
      shift_(weight_),
      sum_(weight_),
      square_(weight_) {
  for (Index j = 0; j < columns; ++j) keys_.push_back(mix(0, usize(j)));
  if (order == Order::kFourth) cube_ = fourth_ = weight_;
}

ClassMoments::ClassMoments(const Source& x, Index classes, Order order)
    : ClassMoments(classes, x.shape().cols, order) {
  x_ = &x;
}

ClassMoments ClassMoments::empty() const {
  ClassMoments result(classes(), columns_, order_);
  result.x_ = x_;
  return result;
}

Moments ClassMoments::of(Index label, Index column) const {
  const std::size_t at = usize(label * columns_ + column);
  return {weight_[at], shift_[at], sum_[at], square_[at]};
}

Moments ClassMoments::of_column(Index column) const {
  Moments all;
  for (Index c = 0; c < classes(); ++c) all.merge(of(c, column));
  return all;
}

double ClassMoments::fourth_power(Index label, Index column) const {
  CRATON_ASSERT(order_ == Order::kFourth);
  const std::size_t at = usize(label * columns_ + column);
  const double n = weight_[at], by = -sum_[at] / n;
  return moved({n, sum_[at], square_[at], cube_[at], fourth_[at]}, by).fourth;
}

void ClassMoments::lower(Order order) {
  if (order == order_) return;
  order_ = Order::kSecond;
  cube_.clear();
  fourth_.clear();
}

void ClassMoments::move_powers(std::size_t at, double by) {
  const Powers m = moved({weight_[at], sum_[at], square_[at], cube_[at], fourth_[at]}, by);
  cube_[at] = m.cube;
  fourth_[at] = std::max(m.fourth, 0.0);  // of what is nearly constant rounding is left
}

void ClassMoments::set(std::size_t at, const Moments& m) {
  weight_[at] = m.weight;
  shift_[at] = m.shift;
  sum_[at] = m.sum;
  square_[at] = m.square;
}

bool ClassMoments::use(const Chunk& chunk, Index row) {
  if (chunk.labels.empty() || chunk.labels[usize(row)] < 0) {
    ++unlabelled_;
    return false;
  }
  return chunk.weight(row) > 0;
}

template <class T>
Moments ClassMoments::present(const Dense<T>& x, const Chunk& chunk, Index label,
                              Index column) const {
  std::vector<double> values, weights;
  for (Index i = 0; i < x.rows; ++i) {
    if (chunk.labels[usize(i)] != label || chunk.weight(i) == 0) continue;
    values.push_back(static_cast<double>(x.row(i)[column]));
    weights.push_back(chunk.weight(i));
    if (std::isinf(values.back())) check_infinite(chunk, i, *x_);
  }
  Moments m;
  m.add(values, weights);
  return m.weight > 0 ? m : Moments{};  // all may be missing
}

template <class T>
void ClassMoments::add_rows(const Dense<T>& x, const Chunk& chunk) {
  for (Index i = 0; i < x.rows; ++i) {
    if (!use(chunk, i)) continue;
    const double w = chunk.weight(i);
    const std::int32_t label = chunk.labels[usize(i)];
    const std::size_t at = usize(label * columns_);
    double& of_class = class_weight_[usize(label)];
    if (of_class == 0) copy_row(x, i, &shift_[at]);
    of_class += w;
    const std::uint64_t hash =
        add_row_moments(x.row(i), columns_, w, &shift_[at], keys_.data(), &sum_[at], &square_[at]);
    hash_ += mix(hash, key_of(w, label));
  }
  for (Index c = 0; c < classes(); ++c) {
    if (class_weight_[usize(c)] == 0) continue;
    for (Index j = 0; j < columns_; ++j) {
      const std::size_t at = usize(c * columns_ + j);
      weight_[at] = class_weight_[usize(c)];
      if (!std::isfinite(square_[at])) set(at, present(x, chunk, c, j));
    }
  }
  if (order_ == Order::kFourth) add_powers(x, chunk);
}

// About the shifts that were found, over the values that are there.
template <class T>
void ClassMoments::add_powers(const Dense<T>& x, const Chunk& chunk) {
  for (Index i = 0; i < x.rows; ++i) {
    const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
    const double w = chunk.weight(i);
    if (label < 0 || w == 0) continue;
    for (std::size_t j = 0, at = usize(label * columns_); j < usize(columns_); ++j, ++at) {
      const double value = static_cast<double>(x.row(i)[j]), y = value - shift_[at];
      const double cube = value == value ? w * y * y * y : 0;
      cube_[at] += cube;
      fourth_[at] += value == value ? cube * y : 0;
    }
  }
}

// The entries of each column make moments of their own, and its zeros join them at the end.
template <class T>
void ClassMoments::add_rows(const Sparse<T>& x, const Chunk& chunk) {
  std::vector<double> missing(weight_.size());
  std::uint64_t hash_of_zeros = 0;
  for (const std::uint64_t key : keys_) hash_of_zeros += hash_value(0, key);
  for (Index i = 0; i < x.rows; ++i) {
    if (!use(chunk, i)) continue;
    const double w = chunk.weight(i);
    const std::int32_t label = chunk.labels[usize(i)];
    class_weight_[usize(label)] += w;
    std::uint64_t hash = hash_of_zeros;
    for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
      const Index j = x.columns[e];
      const std::size_t at = usize(label * columns_ + j);
      const double value = static_cast<double>(x.values[e]);
      hash += hash_value(value, keys_[usize(j)]) - hash_value(0, keys_[usize(j)]);
      if (std::isinf(value)) check_infinite(chunk, i, *x_);
      if (std::isnan(value)) {
        missing[at] += w;
        continue;
      }
      if (weight_[at] == 0) shift_[at] = value;
      const double y = value - shift_[at];
      weight_[at] += w;
      sum_[at] += w * y;
      square_[at] += w * y * y;
      if (order_ == Order::kSecond) continue;
      cube_[at] += w * y * y * y;
      fourth_[at] += w * y * y * y * y;
    }
    hash_ += mix(hash, key_of(w, label));
  }
  for (std::size_t at = 0; at < weight_.size(); ++at) {
    const double n = class_weight_[at / usize(columns_)];
    const double zeros = n - weight_[at] - missing[at];
    // Of weights that are no integers what was rounded is left over.
    if (n == 0 || zeros <= 1e-12 * n) continue;
    Moments m{weight_[at], shift_[at], sum_[at], square_[at]};
    m.merge({zeros, 0, 0, 0});
    if (order_ == Order::kFourth) {
      const double y = -m.shift;
      move_powers(at, shift_[at] - m.shift);
      cube_[at] += zeros * y * y * y;
      fourth_[at] += zeros * y * y * y * y;
    }
    set(at, m);
  }
}

void ClassMoments::accumulate(const Chunk& chunk) {
  check_weights(chunk, *x_);
  if (std::any_of(class_weight_.begin(), class_weight_.end(), [](double w) { return w > 0; })) {
    ClassMoments next = empty();
    next.accumulate(chunk);
    return merge(next);
  }
  std::visit([&](const auto& x) { add_rows(x, chunk); }, chunk.x);
}

// Sums about b move to a's shift, or a's to b's if that is nearer to the mean of both.
void ClassMoments::merge(const ClassMoments& next) {
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const double n = next.weight_[i], gap = next.shift_[i] - shift_[i];
    if (n == 0) continue;
    const double total = sum_[i] + next.sum_[i] + n * gap;  // about a's shift
    const double both = weight_[i] + n;
    const bool nearer = weight_[i] == 0 || std::abs(total - both * gap) < std::abs(total);
    const double a = nearer ? -gap : 0, b = nearer ? 0 : gap;
    if (order_ == Order::kFourth) {  // before what they are made of changes
      const Powers theirs =
          moved({n, next.sum_[i], next.square_[i], next.cube_[i], next.fourth_[i]}, b);
      move_powers(i, a);
      cube_[i] += theirs.cube;
      fourth_[i] += theirs.fourth;
    }
    square_[i] +=
        next.square_[i] + a * (2 * sum_[i] + weight_[i] * a) + b * (2 * next.sum_[i] + n * b);
    sum_[i] += next.sum_[i] + weight_[i] * a + n * b;
    shift_[i] = nearer ? next.shift_[i] : shift_[i];
    weight_[i] = both;
  }
  for (std::size_t c = 0; c < class_weight_.size(); ++c) class_weight_[c] += next.class_weight_[c];
  unlabelled_ += next.unlabelled_;
  hash_ += next.hash_;
}

void ClassMoments::subtract(const ClassMoments& other, const Source& x) {
  const auto check = [&](bool seen) {
    if (seen) return;
    throw InputError(Code::kBadTarget, {.file = x.name()},
                     "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  };
  for (Index c = 0; c < classes(); ++c) {
    double& n = class_weight_[usize(c)];
    const double before = n;
    n -= other.class_weight_[usize(c)];
    check(n >= -kRounding * before);
    if (n <= kRounding * before) n = 0;
    for (Index j = 0; j < columns_; ++j) {
      const Moments old = of(c, j);
      Moments left = old;
      left.subtract(other.of(c, j));
      check(old.weight - other.of(c, j).weight >= -kRounding * old.weight);
      if (n == 0 || left.weight <= kRounding * old.weight) left = {};
      // The scatter about the mean cannot fall below 0.
      const double scatter = left.weight * left.square - left.sum * left.sum;
      check(scatter >= -kRounding * old.weight * old.square);
      const std::size_t at = usize(c * columns_ + j);
      if (order_ == Order::kFourth) {
        const Moments gone = other.of(c, j);
        const Powers powers =
            moved({gone.weight, gone.sum, gone.square, other.cube_[at], other.fourth_[at]},
                  gone.shift - old.shift);
        cube_[at] = left.weight > 0 ? cube_[at] - powers.cube : 0;
        fourth_[at] = left.weight > 0 ? std::max(fourth_[at] - powers.fourth, 0.0) : 0;
      }
      set(at, left);
    }
  }
  hash_ -= other.hash_;
}

void ClassMoments::write(Writer& writer) const {
  writer.put(unlabelled_);
  writer.put(hash_);
  for (const auto* v : {&class_weight_, &weight_, &shift_, &sum_, &square_, &cube_, &fourth_}) {
    writer.put(*v);
  }
}

void ClassMoments::read(Reader& reader) {
  reader.get(unlabelled_);
  reader.get(hash_);
  for (auto* v : {&class_weight_, &weight_, &shift_, &sum_, &square_, &cube_, &fourth_}) {
    reader.get(*v);
  }
}

std::vector<Parameter> ClassMoments::arrays() const {
  const std::vector<Index> shape{classes(), columns_};
  std::vector<Parameter> all{
      {"class_count", "weight of the rows of each class", {{classes()}, class_weight_}},
      {"value_count", "weight of the values of each feature in each class", {shape, weight_}},
      {"shift", "a value of each feature in each class", {shape, shift_}},
      {"shifted_sum", "sum of (value - shift)", {shape, sum_}},
      {"shifted_square", "sum of (value - shift) squared", {shape, square_}}};
  if (order_ == Order::kFourth) {
    all.push_back({"shifted_cube", "sum of (value - shift)^3", {shape, cube_}});
    all.push_back({"shifted_fourth", "sum of (value - shift)^4", {shape, fourth_}});
  }
  return all;
}

ClassMoments ClassMoments::from(std::span<const Parameter> arrays, Index classes, Index columns,
                                std::uint64_t hash) {
  const bool fourth = std::any_of(arrays.begin(), arrays.end(),
                                  [](const Parameter& p) { return p.name == "shifted_fourth"; });
  ClassMoments result(classes, columns, fourth ? Order::kFourth : Order::kSecond);
  result.hash_ = hash;
  const std::vector<Index> of_class{classes}, of_value{classes, columns};
  const auto get = [&](const char* name, std::vector<double>& to, bool positive) {
    to = get_parameter(arrays, name, &to == &result.class_weight_ ? of_class : of_value).values;
    for (const double v : to) {
      if (!std::isfinite(v) || (positive && v < 0)) {
        fail_parameters("a moment that it remembers is not one");
      }
    }
  };
  get("class_count", result.class_weight_, true);
  get("value_count", result.weight_, true);
  get("shift", result.shift_, false);
  get("shifted_sum", result.sum_, false);
  get("shifted_square", result.square_, true);
  if (!fourth) return result;
  get("shifted_cube", result.cube_, false);
  get("shifted_fourth", result.fourth_, true);
  return result;
}

void fail_too_wide(const Schema& schema, Index column) {
  throw InputError(Code::kNotFinite, {.column = schema.name(column)},
                   "the values spread so widely that their squares overflow",
                   "Divide the column by a power of ten.");
}

}  // namespace craton
