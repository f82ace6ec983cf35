#include "craton/classes/discriminant/class_scatter.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/random.h"
#include "craton/families/statistics.h"
#include "craton/kernels/gaussian.h"
#include "craton/kernels/row_moments.h"
#include "craton/kernels/scratch.h"
#include "craton/model/registry.h"
#include "craton/tables/columns.h"

// The rows of a chunk are taken class by class, about the first of each, in blocks for the kernel.

namespace craton {
namespace {

// Of what is left after rows were taken away, and of what was: rounding.
constexpr double kRoundingOfWeights = 1e-9;

std::size_t half_of(std::size_t size) { return size * (size + 1) / 2; }

// The first value, of the rows that count, that is not finite; or all spread too widely.
template <class T>
[[noreturn]] void fail_values(const Dense<T>& x, const Chunk& chunk, const Source& source) {
  for (Index i = 0; i < x.rows; ++i) {
    if (chunk.labels[usize(i)] < 0 || chunk.weight(i) == 0) continue;
    const T* const bad =
        std::find_if_not(x.row(i), x.row(i) + x.cols, [](T value) { return std::isfinite(value); });
    if (bad == x.row(i) + x.cols) continue;
    throw InputError(
        Code::kNotFinite, source.place_of(chunk.first_row + i, static_cast<Index>(bad - x.row(i))),
        std::isnan(*bad) ? "the value is NaN (missing), but a full covariance needs every value"
                         : "the value is infinite (inf), but this model needs finite numbers",
        {"Leave such rows out{}, fill them in, or, of missing ones, fit with {}.",
         Ref::either(" (--missing skip)", ""), Ref::option("covariance_type", "diag")});
  }
  double weight = 0;
  for (Index i = 0; i < x.rows; ++i) weight += chunk.weight(i);
  if (!(weight <= kHeaviest)) check_total_weight(weight, source);
  throw InputError(Code::kNotFinite, source.place_of(chunk.first_row),
                   "the values near this row spread so widely that their squares overflow",
                   "Divide the columns by a power of ten.");
}

// Rows about their shift, up to kBlockRows of them, as add_full_scatter() wants them.
class Staged {
 public:
  Staged(std::size_t d, std::size_t t)
      : d_(d),
        t_(t),
        narrow_(t * kBlockRows),
        wide_(by_row_size(t)),
        work_(work_size(t)),
        zeros_(t),
        unused_sum_(t) {
    std::fill(ones_, ones_ + kBlockRows, 1.0);
  }
  bool full() const { return count_ == kBlockRows; }

  template <class T>
  void add(const T* row, const double* shift, double weight) {
    if (t_ >= kWideRows) {
      place(row, shift, wide_.data() + count_ * row_stride(t_), 1);
    } else {
      place(row, shift, narrow_.data() + count_, kBlockRows);
    }
    weights_[count_++] = weight;
  }
  void flush(double* scatter) {
    if (count_ == 0) return;
    const std::size_t rows = (count_ + kRowStep - 1) / kRowStep * kRowStep;
    std::fill(weights_ + count_, weights_ + rows, 0.0);
    for (std::size_t j = 0; t_ < kWideRows && j < t_; ++j) {  // whatever was there is no number
      std::fill(narrow_.data() + j * kBlockRows + count_, narrow_.data() + j * kBlockRows + rows,
                0.0);
    }
    add_full_scatter(narrow_.data(), wide_.data(), zeros_.data(), ones_, weights_, t_, rows,
                     work_.data(), unused_sum_.data(), scatter);
    count_ = 0;
  }

 private:
  template <class T>
  void place(const T* row, const double* shift, double* out, std::size_t step) const {
    for (std::size_t j = 0; j < d_; ++j) out[j * step] = static_cast<double>(row[j]) - shift[j];
    for (std::size_t j = d_; j < t_; ++j)
      out[j * step] = out[(j - d_) * step] * out[(j - d_) * step];
  }

  std::size_t d_, t_, count_ = 0;
  Scratch narrow_, wide_, work_;
  std::vector<double> zeros_, unused_sum_;
  alignas(64) double ones_[kBlockRows], weights_[kBlockRows];
};

}  // namespace

ClassScatter::ClassScatter(Index classes, Index columns, Order order)
    : order_(order),
      columns_(columns),
      d_(usize(columns)),
      t_(d_ * static_cast<std::size_t>(order)),
      half_(half_of(t_)),
      class_weight_(usize(classes)),
      shift_(usize(classes) * d_),
      sum_(usize(classes) * t_),
      scatter_(usize(classes) * half_) {
  for (std::size_t j = 0; j < d_; ++j) keys_.push_back(mix(0, j));
}

ClassScatter::ClassScatter(const Source& x, Index classes, Order order)
    : ClassScatter(classes, x.shape().cols, order) {
  x_ = &x;
}

ClassScatter ClassScatter::empty() const {
  ClassScatter result(classes(), columns_, order_);
  result.x_ = x_;
  return result;
}

ClassScatter::Sums ClassScatter::of(Index label) {
  const std::size_t c = usize(label);
  return {class_weight_[c], std::span(sum_).subspan(c * t_, t_),
          std::span(scatter_).subspan(c * half_, half_)};
}

std::vector<double> ClassScatter::mean(Index label) const {
  std::vector<double> result;
  for (std::size_t j = 0; j < d_; ++j) {
    const Moments m{class_weight_[usize(label)], shift_[usize(label) * d_ + j],
                    sum_[usize(label) * t_ + j], 0};
    result.push_back(m.mean());
  }
  return result;
}

// (n S - s s') / n: of integers exact, so the shift leaves no trace.
std::vector<double> ClassScatter::scatter(Index label) const {
  const double n = class_weight_[usize(label)];
  const double *s = &sum_[usize(label) * t_], *half = &scatter_[usize(label) * half_];
  std::vector<double> result(d_ * d_);
  for (std::size_t i = 0; i < d_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double about_mean = (n * half[half_of(i) + j] - s[i] * s[j]) / n;
      result[i * d_ + j] = result[j * d_ + i] = i == j ? std::max(about_mean, 0.0) : about_mean;
    }
  }
  return result;
}

double ClassScatter::fourth_power(Index label, std::span<const double> scale) const {
  CRATON_ASSERT(order_ == Order::kFourth);
  ClassScatter about = *this;
  const Sums sums = about.of(label);
  std::vector<double> by;
  for (std::size_t j = 0; j < d_; ++j) by.push_back(-sums.sum[j] / sums.weight);
  move(sums, by);
  double result = 0;
  for (std::size_t i = 0; i < d_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double q = sums.scatter[half_of(d_ + i) + d_ + j];
      result += (i == j ? 1 : 2) * q / (scale[i] * scale[i] * scale[j] * scale[j]);
    }
  }
  return result;
}

// With y' = y + a, t' = t + c of c = a; or of squares too, where y'^2 = y^2 + 2 a y + a^2, first
// the linear part and then c = (a, a^2): T' = T + c s' + s c' + n c c'.
void ClassScatter::move(const Sums& sums, std::span<const double> by) const {
  if (std::all_of(by.begin(), by.end(), [](double v) { return v == 0; })) return;
  std::vector<double> c(by.begin(), by.end());
  double* const half = sums.scatter.data();
  double* const s = sums.sum.data();
  if (order_ == Order::kFourth) {
    // Rows of squares take in twice a of their values: below row d all entries of both are at hand,
    // and so are the columns of squares, after all rows have been done.
    for (std::size_t i = 0; i < d_; ++i) {
      double* const row = half + half_of(d_ + i);
      for (std::size_t j = 0; j < d_; ++j) {
        row[j] += 2 * by[i] * half[half_of(std::max(i, j)) + std::min(i, j)];
      }
    }
    // (q_i + 2 a_i y_i)(q_j + 2 a_j y_j) from (q_i + 2 a_i y_i) y_j, and q_i y_j as it was.
    for (std::size_t i = 0; i < d_; ++i) {
      double* const row = half + half_of(d_ + i);
      for (std::size_t j = 0; j <= i; ++j) {
        const double* const other = half + half_of(d_ + j);
        const double y_y = half[half_of(i) + j];
        row[d_ + j] += 2 * by[j] * row[j] + 2 * by[i] * (other[i] - 2 * by[j] * y_y);
      }
    }
    for (std::size_t i = 0; i < d_; ++i) {
      s[d_ + i] += 2 * by[i] * s[i];
      c.push_back(by[i] * by[i]);
    }
  }
  for (std::size_t i = 0; i < t_; ++i) {
    const double ci = c[i], si = s[i] + sums.weight * ci;
    double* const row = half + half_of(i);
    for (std::size_t j = 0; j <= i; ++j) row[j] += ci * s[j] + si * c[j];
  }
  for (std::size_t i = 0; i < t_; ++i) s[i] += sums.weight * c[i];
}

template <class T>
void ClassScatter::add_rows(const Dense<T>& x, const Chunk& chunk) {
  std::vector<std::vector<Index>> of_class(usize(classes()));
  for (Index i = 0; i < x.rows; ++i) {
    const std::int32_t label = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
    if (label < 0) {
      ++unlabelled_;
    } else if (chunk.weight(i) > 0) {
      of_class[usize(label)].push_back(i);
    }
  }
  Staged staged(d_, t_);
  std::vector<double> sum(d_), square(d_);
  for (std::size_t c = 0; c < of_class.size(); ++c) {
    if (of_class[c].empty()) continue;
    double *const shift = &shift_[c * d_], *const scatter = &scatter_[c * half_];
    copy_row(x, of_class[c].front(), shift);
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(square.begin(), square.end(), 0.0);
    for (const Index i : of_class[c]) {
      const double w = chunk.weight(i);
      class_weight_[c] += w;
      const std::uint64_t hash =
          add_row_moments(x.row(i), columns_, w, shift, keys_.data(), sum.data(), square.data());
      hash_ += mix(hash, mix(std::bit_cast<std::uint64_t>(w), c));
      staged.add(x.row(i), shift, w);
      if (staged.full()) staged.flush(scatter);
    }
    for (const double v : square) {
      if (!std::isfinite(v)) fail_values(x, chunk, *x_);
    }
    staged.flush(scatter);
    std::copy(sum.begin(), sum.end(), &sum_[c * t_]);
    if (order_ == Order::kFourth) std::copy(square.begin(), square.end(), &sum_[c * t_ + d_]);
  }
}

void ClassScatter::accumulate(const Chunk& chunk) {
  check_weights(chunk, *x_);
  if (std::any_of(class_weight_.begin(), class_weight_.end(), [](double w) { return w > 0; })) {
    ClassScatter next = empty();
    next.accumulate(chunk);
    return merge(next);
  }
  visit_dense(chunk.x, [&](const auto& x) { add_rows(x, chunk); });
}

// Each column keeps the shift, of the two, that is nearer to the mean of both.
void ClassScatter::merge(const ClassScatter& next) {
  std::vector<double> ours(d_), theirs(d_), sum(t_), scatter(half_);
  for (Index c = 0; c < classes(); ++c) {
    const Sums a = of(c);
    const double n = next.class_weight_[usize(c)];
    if (n == 0) continue;
    double* const shift = &shift_[usize(c) * d_];
    const double* const other = &next.shift_[usize(c) * d_];
    const double *const b_sum = &next.sum_[usize(c) * t_],
                        *b_half = &next.scatter_[usize(c) * half_];
    for (std::size_t j = 0; j < d_; ++j) {
      const double gap = other[j] - shift[j], both = a.weight + n;
      const double total = a.sum[j] + b_sum[j] + n * gap;  // about a's shift
      const bool nearer = a.weight == 0 || std::abs(total - both * gap) < std::abs(total);
      ours[j] = nearer ? -gap : 0;
      theirs[j] = nearer ? 0 : gap;
      if (nearer) shift[j] = other[j];
    }
    if (a.weight > 0) move(a, ours);
    std::copy_n(b_sum, t_, sum.begin());
    std::copy_n(b_half, half_, scatter.begin());
    move({n, sum, scatter}, theirs);
    for (std::size_t i = 0; i < t_; ++i) a.sum[i] += sum[i];
    for (std::size_t i = 0; i < half_; ++i) a.scatter[i] += scatter[i];
    class_weight_[usize(c)] += n;
  }
  unlabelled_ += next.unlabelled_;
  hash_ += next.hash_;
}

// Of each class the sums of values come before those of squares, and in both halves so.
void ClassScatter::lower(Order order) {
  if (order == order_) return;
  ClassScatter less(classes(), columns_, Order::kSecond);
  for (std::size_t c = 0; c < usize(classes()); ++c) {
    std::copy_n(&sum_[c * t_], less.t_, &less.sum_[c * less.t_]);
    std::copy_n(&scatter_[c * half_], less.half_, &less.scatter_[c * less.half_]);
  }
  sum_ = std::move(less.sum_);
  scatter_ = std::move(less.scatter_);
  order_ = less.order_;
  t_ = less.t_;
  half_ = less.half_;
}

void ClassScatter::subtract(const ClassScatter& other, const Source& x) {
  const auto check = [&](bool seen) {
    if (seen) return;
    throw InputError(Code::kBadTarget, {.file = x.name()},
                     "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  };
  ClassScatter gone = other;
  for (Index c = 0; c < classes(); ++c) {
    const Sums left = of(c), b = gone.of(c);
    if (b.weight == 0) continue;
    std::vector<double> by(d_);
    for (std::size_t j = 0; j < d_; ++j) {
      by[j] = gone.shift_[usize(c) * d_ + j] - shift_[usize(c) * d_ + j];
    }
    move(b, by);
    double& n = class_weight_[usize(c)];
    check(n - b.weight >= -kRoundingOfWeights * n);
    n = n - b.weight <= kRoundingOfWeights * n ? 0 : n - b.weight;
    for (std::size_t i = 0; i < t_; ++i) left.sum[i] -= b.sum[i];
    for (std::size_t i = 0; i < half_; ++i) left.scatter[i] -= b.scatter[i];
    for (std::size_t j = 0; j < d_; ++j) {  // the scatter about the mean cannot fall below 0
      const double square = left.scatter[half_of(j) + j], was = square + b.scatter[half_of(j) + j];
      check(n * square - left.sum[j] * left.sum[j] >= -kRoundingOfWeights * (n + b.weight) * was);
    }
    if (n > 0) continue;
    std::fill(left.sum.begin(), left.sum.end(), 0.0);
    std::fill(left.scatter.begin(), left.scatter.end(), 0.0);
  }
  hash_ -= other.hash_;
}

void ClassScatter::write(Writer& writer) const {
  writer.put(unlabelled_);
  writer.put(hash_);
  for (const auto* v : {&class_weight_, &shift_, &sum_, &scatter_}) writer.put(*v);
}

void ClassScatter::read(Reader& reader) {
  reader.get(unlabelled_);
  reader.get(hash_);
  for (auto* v : {&class_weight_, &shift_, &sum_, &scatter_}) reader.get(*v);
}

std::vector<Parameter> ClassScatter::arrays() const {
  const Index k = classes(), t = static_cast<Index>(t_), half = static_cast<Index>(half_);
  return {{"class_count", "weight of the rows of each class", {{k}, class_weight_}},
          {"shift", "a value of each feature in each class", {{k, columns_}, shift_}},
          {"shifted_sum", "sums of y = value - shift (and of its squares)", {{k, t}, sum_}},
          {"shifted_scatter", "sums of products of those, the lower half", {{k, half}, scatter_}}};
}

ClassScatter ClassScatter::from(std::span<const Parameter> arrays, Index classes, Index columns,
                                std::uint64_t hash) {
  const Index t = get_parameter(arrays, "shifted_sum", std::array<Index, 2>{classes, -1}).cols();
  if (t != columns && t != 2 * columns)
    fail_parameters("the sums it remembers are not of its rows");
  ClassScatter result(classes, columns, t == columns ? Order::kSecond : Order::kFourth);
  result.hash_ = hash;
  const auto get = [&](const char* name, std::vector<double>& to, std::vector<Index> shape) {
    to = get_parameter(arrays, name, shape).values;
    for (const double v : to) {
      if (!std::isfinite(v)) fail_parameters("a sum that it remembers is not finite");
    }
  };
  get("class_count", result.class_weight_, {classes});
  get("shift", result.shift_, {classes, columns});
  get("shifted_sum", result.sum_, {classes, t});
  get("shifted_scatter", result.scatter_, {classes, static_cast<Index>(result.half_)});
  for (const double n : result.class_weight_) {
    if (n < 0) fail_parameters("a class that it remembers has a negative weight");
  }
  for (std::size_t at = 0; at < result.sum_.size(); ++at) {
    const std::size_t c = at / result.t_, i = at % result.t_;
    if (result.scatter_[c * result.half_ + half_of(i) + i] < 0) {
      fail_parameters("a square that it remembers is negative");
    }
  }
  return result;
}

}  // namespace craton
