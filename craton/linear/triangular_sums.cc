#include "craton/linear/triangular_sums.h"

#include <algorithm>
#include <cmath>

#include "craton/base/parameters.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/algebra/qr.h"
#include "craton/kernels/scratch.h"
#include "craton/linear/triangles.h"

// A pass costs rows x columns^2 multiplications for the first Gram matrix and twice that for a
// preconditioned one, in blocks of rows that stay in the cache.

namespace craton {
namespace {

constexpr Index kWide = 16;  // columns from which two triangles are merged in blocks

struct RowCounts {
  double weight = 0, log_weight = 0;
  Index rows = 0;

  void add(const RowBlock& block) {
    for (Index i = 0; i < block.rows; ++i) {
      const double w = block.weights == nullptr ? 1 : block.weights[i];
      if (w == 0) continue;
      ++rows;
      weight += w;
      log_weight += std::log(w);
    }
  }
};

// The rows of a triangle in the units and about the shift of another frame.
std::vector<double> in_frame(const TriangularSums& sums, const RowFrame& to) {
  const RowFrame& from = sums.frame();
  std::vector<double> factor = sums.factor();
  const Index width = sums.width();
  for (Index i = 0; i < sums.height(); ++i) {
    double* const row = factor.data() + i * width;
    for (Index j = 0; j + 1 < width; ++j) {
      const std::size_t at = usize(j);
      row[j + 1] = row[j + 1] * (to.unit[at] / from.unit[at]) +
                   row[0] * ((from.shift[at] - to.shift[at]) * to.unit[at]);
    }
  }
  return factor;
}

// The lower triangle of sum_i w_i q_i q_i' with q = T'z, T upper triangular: T' is given by rows.
class GramSums {
 public:
  GramSums(const RowFrame& frame, const std::vector<double>& transform)
      : frame_(&frame), transform_(&transform), gram_(usize(frame.width() * frame.width())) {}

  const std::vector<double>& gram() const { return gram_; }

  void accumulate(const Chunk& chunk) {
    if (transform_->empty()) {
      if (const auto* floats = std::get_if<Sparse<float>>(&chunk.x)) return add(*floats, chunk);
      if (const auto* doubles = std::get_if<Sparse<double>>(&chunk.x)) return add(*doubles, chunk);
    }
    const Index width = frame_->width();
    Scratch q(transform_->empty() ? 0 : usize(kBlockRows * width));
    for_row_blocks(chunk, *frame_, [&](const RowBlock& block) {
      const double* rows = block.z;
      if (!transform_->empty()) {
        row_products(block.z, block.rows, block.stride, transform_->data(), width, width, width,
                     q.data(), width);
        rows = q.data();
      }
      add_gram(rows, block.rows, width, width, block.weights, gram_.data(), width);
    });
  }
  void merge(const GramSums& next) {
    for (std::size_t i = 0; i < gram_.size(); ++i) gram_[i] += next.gram_[i];
  }
  void write(Writer& writer) const { writer.put(gram_); }
  void read(Reader& reader) { reader.get(gram_); }
  Index words() const { return std::ssize(gram_); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  // Entries by entries: a column that is shifted has one in every row.
  template <class T>
  void add(const Sparse<T>& x, const Chunk& chunk) {
    const Index width = frame_->width();
    std::vector<std::pair<Index, double>> z;
    for (Index i = 0; i < x.rows; ++i) {
      const double w = chunk.weight(i);
      if (w == 0) continue;
      z.assign(1, {0, 1.0});
      for (Index e = x.offsets[i]; e < x.offsets[i + 1]; ++e) {
        const std::size_t j = usize(x.columns[e]);
        z.emplace_back(x.columns[e] + 1,
                       (static_cast<double>(x.values[e]) - frame_->shift[j]) * frame_->unit[j]);
      }
      const double y = chunk.targets.empty() ? frame_->shift.back() : chunk.targets[usize(i)];
      z.emplace_back(width - 1, (y - frame_->shift.back()) * frame_->unit.back());
      for (std::size_t a = 0; a < z.size(); ++a) {
        double* const row = gram_.data() + z[a].first * width;
        const double value = w * z[a].second;
        for (std::size_t b = 0; b <= a; ++b) row[z[b].first] += value * z[b].second;
      }
    }
  }

  const RowFrame* frame_;
  const std::vector<double>* transform_;
  std::vector<double> gram_;
};

// With r = z v, v = [-b, 1]: sum_i w_i r_i z_i, whose last number is that of r_i y_i; and of r_i^2.
class ResidualSums {
 public:
  ResidualSums(const RowFrame& frame, const std::vector<double>& v)
      : frame_(&frame), v_(&v), sums_(usize(frame.width())) {}

  const std::vector<double>& products() const { return sums_; }
  double square() const { return square_; }

  void accumulate(const Chunk& chunk) {
    const Index width = frame_->width();
    double residuals[kBlockRows];
    for_row_blocks(chunk, *frame_, [&](const RowBlock& block) {
      row_products(v_->data(), 1, width, block.z, block.rows, block.stride, width, residuals,
                   kBlockRows);
      for (Index i = 0; i < block.rows; ++i) {
        const double w = block.weights == nullptr ? 1 : block.weights[i];
        const double wr = w * residuals[i];
        const double* const z = block.z + i * block.stride;
        square_ += wr * residuals[i];
        for (Index j = 0; j < width; ++j) sums_[usize(j)] += wr * z[j];
      }
    });
  }
  void merge(const ResidualSums& next) {
    square_ += next.square_;
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += next.sums_[j];
  }
  void write(Writer& writer) const {
    writer.put(sums_);
    writer.put(square_);
  }
  void read(Reader& reader) {
    reader.get(sums_);
    reader.get(square_);
  }
  Index words() const { return std::ssize(sums_) + 1; }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  const RowFrame* frame_;
  const std::vector<double>* v_;
  std::vector<double> sums_;
  double square_ = 0;
};

struct FlooredFactor {
  std::vector<double> upper;
  bool floored = false;  // of the columns before the last
};

// How much of each column is its own, before those that were there: of R, if there is one yet.
std::vector<double> own_shares(const std::vector<double>& r, Index n) {
  std::vector<double> shares(usize(n), 1.0);
  for (Index j = 0; j < n && !r.empty(); ++j) {
    double square = 0;
    for (Index i = 0; i <= j; ++i) square += squared(r[usize(i * n + j)]);
    shares[usize(j)] = square > 0 ? r[usize(j * n + j)] / std::sqrt(square) : 0;
  }
  return shares;
}

// U upper triangular with U'U = A, given the lower triangle of A. A column that depends on those
// before it, as far as the rounding of A tells, is left a length of sqrt(floor) of its own, so that
// what it has of its own can be seen in the next pass. What is nothing but rounding there, as it is
// less than `least` of the column, is 0, and no direction for others to be compared with.
FlooredFactor factor_with_floor(const std::vector<double>& lower, Index n, double floor,
                                const std::vector<double>& shares, double least) {
  FlooredFactor result{std::vector<double>(usize(n * n))};
  std::vector<double>& u = result.upper;
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) u[usize(i * n + j)] = lower[usize(j * n + i)];
  }
  for (Index k = 0; k < n; ++k) {
    double* const row = u.data() + k * n;
    const double all = lower[usize(k * n + k)];
    const double own = std::sqrt(std::max(row[k], 0.0)) * shares[usize(k)];
    if (all == 0 || (k + 1 < n && own <= least)) {
      std::fill(row + k, row + n, 0.0);
      continue;
    }
    if (!(row[k] > floor * all)) {
      row[k] = floor * all;
      result.floored = result.floored || k + 1 < n;
    }
    const double root = std::sqrt(row[k]);
    row[k] = root;
    for (Index j = k + 1; j < n; ++j) row[j] /= root;
    for (Index i = k + 1; i < n; ++i) {
      double* const below = u.data() + i * n;
      const double factor = row[i];
      for (Index j = i; j < n; ++j) below[j] -= factor * row[j];
    }
  }
  return result;
}

// The product of two upper triangles, into the second.
void multiply_upper(const std::vector<double>& a, std::vector<double>& b, Index n) {
  for (Index i = 0; i < n;
       ++i) {  // row i needs rows i.. of b, of which only later ones are needed again
    std::vector<double> row(usize(n));
    for (Index k = i; k < n; ++k) {
      const double factor = a[usize(i * n + k)];
      for (Index j = k; j < n; ++j) row[usize(j)] += factor * b[usize(k * n + j)];
    }
    std::copy(row.begin(), row.end(), b.begin() + i * n);
  }
}

std::vector<double> transposed_inverse(const std::vector<double>& r, Index n) {
  const std::vector<double> inverse = inverse_upper(r.data(), n, n);
  std::vector<double> result(inverse.size());
  for (Index i = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j) result[usize(j * n + i)] = inverse[usize(i * n + j)];
  }
  return result;
}

// The condition number of the columns that are not 0.
double condition_of(const std::vector<double>& r, Index n, Index leading) {
  std::vector<Index> some;
  for (Index j = 0; j < leading; ++j) {
    if (r[usize(j * n + j)] != 0) some.push_back(j);
  }
  const Index size = std::ssize(some);
  std::vector<double> part(usize(size * size));
  for (Index a = 0; a < size; ++a) {
    for (Index b = a; b < size; ++b) {
      part[usize(a * size + b)] = r[usize(some[usize(a)] * n + some[usize(b)])];
    }
  }
  return scaled_condition(part.data(), size, size);
}

// The last column of R once more, from the residuals that R's coefficients leave.
void refine_last_column(std::vector<double>& r, const RowFrame& frame, Source& x,
                        const Exec& exec) {
  const Index n = frame.width(), last = n - 1;
  std::vector<double> v(usize(n));
  for (Index i = 0; i < last; ++i) v[usize(i)] = r[usize(i * n + last)];
  const std::vector<double> inverse = inverse_upper(r.data(), last, n);
  for (Index i = 0; i < last; ++i) {
    double sum = 0;
    for (Index j = i; j < last; ++j) sum += inverse[usize(i * last + j)] * v[usize(j)];
    v[usize(i)] = -sum;
  }
  v[usize(last)] = 1;
  const ResidualSums sums = fold(x, ResidualSums(frame, v), exec);
  double explained = 0;
  for (Index j = 0; j < last; ++j) {  // R'^-1 of the products
    double sum = 0;
    for (Index i = 0; i <= j; ++i) sum += inverse[usize(i * last + j)] * sums.products()[usize(i)];
    r[usize(j * n + last)] += sum;
    explained += sum * sum;
  }
  r[usize(last * n + last)] = std::sqrt(std::max(sums.square() - explained, 0.0));
}

}  // namespace

TriangularSums::TriangularSums(RowFrame frame, std::vector<double> factor, double weight,
                               Index rows, double log_weight)
    : frame_(std::move(frame)),
      factor_(std::move(factor)),
      weight_(weight),
      log_weight_(log_weight),
      rows_(rows) {}

void TriangularSums::accumulate(const Chunk& chunk) {
  RowCounts counts{weight_, log_weight_, rows_};
  for_row_blocks(chunk, frame_, [&](const RowBlock& block) {
    counts.add(block);
    for (Index i = 0; i < block.rows; ++i) {
      const double root = block.weights == nullptr ? 1 : std::sqrt(block.weights[i]);
      if (root == 0) continue;
      const double* const z = block.z + i * block.stride;
      for (Index j = 0; j < width(); ++j) factor_.push_back(root * z[j]);
    }
  });
  weight_ = counts.weight;
  log_weight_ = counts.log_weight;
  rows_ = counts.rows;
  if (height() > width()) triangularise(factor_, height(), width());
}

void TriangularSums::merge(const TriangularSums& next) {
  if (next.rows_ == 0) return;
  if (rows_ == 0) {
    *this = next;
    return;
  }
  std::vector<double> more = in_frame(next, frame_);
  weight_ += next.weight_;
  log_weight_ += next.log_weight_;
  rows_ += next.rows_;
  if (height() == width() && next.height() == width() && width() >= kWide) {
    // A change of shift leaves the triangle one: only its first row has ones.
    return merge_triangles(factor_, more, width());
  }
  factor_.insert(factor_.end(), more.begin(), more.end());
  if (height() > width()) triangularise(factor_, height(), width());
}

void TriangularSums::write(Writer& writer) const {
  writer.put(frame_.shift);
  writer.put(frame_.unit);
  writer.put(factor_);
  writer.put(weight_);
  writer.put(log_weight_);
  writer.put(rows_);
}

void TriangularSums::read(Reader& reader) {
  reader.get(frame_.shift);
  reader.get(frame_.unit);
  reader.get(factor_);
  reader.get(weight_);
  reader.get(log_weight_);
  reader.get(rows_);
}

Array TriangularSums::to_array() const {
  Array array;
  array.values = {weight_, static_cast<double>(rows_), log_weight_};
  for (const auto* values : {&frame_.shift, &frame_.unit, &factor_}) {
    array.values.insert(array.values.end(), values->begin(), values->end());
  }
  array.shape = {std::ssize(array.values)};
  return array;
}

TriangularSums TriangularSums::from_array(const Array& array, Index columns) {
  constexpr double kMostRows = 0x1p53;
  const Index width = columns + 2, head = 3 + 2 * (columns + 1);
  const std::vector<double>& v = array.values;
  const Index rest = std::ssize(v) - head;
  if (array.shape.size() != 1 || rest <= 0 || rest % width != 0 || rest / width > width) {
    fail_parameters("what it remembers of its rows has the wrong shape");
  }
  TriangularSums result;
  result.weight_ = v[0];
  result.rows_ = v[1] >= 1 && v[1] < kMostRows ? static_cast<Index>(v[1]) : 0;
  result.log_weight_ = v[2];
  const auto from = v.begin() + 3;
  result.frame_.shift.assign(from, from + columns + 1);
  result.frame_.unit.assign(from + columns + 1, from + 2 * (columns + 1));
  result.factor_.assign(v.begin() + head, v.end());
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto unit = [](double value) {
    int exponent = 0;
    return value > 0 && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
  };
  const bool sound = result.weight_ > 0 && result.weight_ <= kHeaviest &&
                     static_cast<double>(result.rows_) == v[1] && result.height() <= result.rows_ &&
                     std::all_of(v.begin(), v.end(), finite) &&
                     std::all_of(result.frame_.unit.begin(), result.frame_.unit.end(), unit);
  if (!sound) fail_parameters("what it remembers of its rows makes no sense");
  return result;
}

TriangularSums sum_triangles(Source& x, const RegressionColumns& columns, const Exec& exec) {
  constexpr double kFewProducts = 0x1p20;  // that reflections are spent on, at a fifth of the speed
  const Index n = x.shape().cols + 2, rows = columns.features().rows();
  const double work = static_cast<double>(rows) * static_cast<double>(n) * static_cast<double>(n);
  const bool few = rows <= n || work <= kFewProducts;
  return sum_triangles(x, columns, exec, few ? SumBy::kReflections : SumBy::kProducts);
}

TriangularSums sum_triangles(Source& x, const RegressionColumns& columns, const Exec& exec,
                             SumBy by) {
  constexpr Index kMostPasses = 3;
  constexpr double kModest = 100;  // of a condition number: its square costs four digits
  const RowFrame frame = columns.frame();
  if (by == SumBy::kReflections) return fold(x, TriangularSums(frame), exec);

  const Index n = frame.width();
  const double floor = 16 * kRoundoff * static_cast<double>(n);  // what rounding leaves, and more
  std::vector<double> r;
  for (Index pass = 1; pass <= kMostPasses; ++pass) {
    const std::vector<double> transform =
        r.empty() ? std::vector<double>() : transposed_inverse(r, n);
    const GramSums sums = fold(x, GramSums(frame, transform), exec);
    // The first Gram matrix does not tell rounding from what a column has of its own.
    FlooredFactor next =
        factor_with_floor(sums.gram(), n, floor, own_shares(r, n), r.empty() ? -1 : floor);
    const bool modest = !next.floored && condition_of(next.upper, n, n - 1) <= kModest;
    if (r.empty()) {
      r = std::move(next.upper);
      if (modest) refine_last_column(r, frame, x, exec);
    } else {
      multiply_upper(next.upper, r, n);
    }
    if (modest) break;
  }
  return TriangularSums(frame, std::move(r), columns.features().weight(), columns.features().rows(),
                        columns.log_weight());
}

}  // namespace craton
