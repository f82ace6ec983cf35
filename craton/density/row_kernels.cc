#include "craton/density/row_kernels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/double_double.h"
#include "craton/kernels/exp_log.h"
#include "craton/kernels/special.h"

namespace craton {
namespace {

// Where the row itself is more of its own density, the other rows are summed without it.
constexpr double kMostShare = 0.5;
constexpr double kSquareTolerance = 1e-10;  // of mean squares, from which p^2 is taken

// special.h: of the logarithms that the volume of a kernel is made of.
constexpr double kSpecialError = 1e-14;

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& v : values) v *= factor;
  return values;
}

auto in_parallel(const Exec& exec) {
  return [&exec](Index count, FunctionRef<void(Index)> task) { for_each(count, exec, task); };
}

double widest_of(const KernelShape& shape) {
  return shape.row_scales.empty() ? 1 : *std::ranges::max_element(shape.row_scales);
}

constexpr double kMostDoubt = 1e-3;  // D; where it is more, all points may be within

}  // namespace

bool KernelShape::holds(const double* row) const {
  for (std::size_t j = 0; j < support.size(); ++j) {
    if (!support[j].holds(row[j])) return false;
  }
  return true;
}

double KernelShape::deviation() const {
  return of_function ? given_deviation : kernel_deviation(kernel, ssize(bandwidth));
}

void need_function(const KernelShape& shape) {
  if (!shape.of_function || shape.given) return;
  throw InputError(Code::kNotAble, {},
                   "the kernel of this model is a function, and files hold none",
                   "In Python give it again: craton.load(path, kernel=f). In C++: with_kernel().");
}

namespace {

constexpr double kNarrowestBeside = 0x1p-30;  // of the end of a column

void check_linear(const KernelShape& shape, Index j, const Schema& schema) {
  const ColumnSupport& column = shape.support[usize(j)];
  const double h = shape.bandwidth[usize(j)];
  const auto refuse = [&](const Message& what, const Message& fix) {
    throw InputError(Code::kBadOption, {.column = schema.name(j)}, what, fix);
  };
  if (ssize(shape.bandwidth) > 1) {
    refuse({"linear ends in {} are for a model of one column", Ref::option("support")},
           "Leave the word out: what kernels have beyond an end is reflected.");
  }
  if (!LinearEnds::takes(shape.kernel)) {
    refuse(
        {"linear ends in {} go with gaussian kernels and those that end", Ref::option("support")},
        {"Give {}.", Ref::option("kernel", "gaussian")});
  }
  if (!shape.row_scales.empty()) {
    refuse({"linear ends in {} go with kernels of one width, not with {}", Ref::option("support"),
            Ref::option("adaptive")},
           "Leave one of them out.");
  }
  if (!(column.high - column.low >= h)) {
    refuse({"kernels of bandwidth {} are too wide for {} from {} to {}", h, Ref::option("support"),
            column.low, column.high},
           {"Give a smaller {}.", Ref::option("bandwidth")});
  }
  for (const double end : {column.low, column.high}) {
    if (std::isinf(end) || h >= kNarrowestBeside * std::abs(end)) continue;
    refuse({"a bandwidth of {} vanishes in the rounding of {}, where {} ends", h, end,
            Ref::option("support")},
           "Subtract that from the column, or leave the word linear out.");
  }
}

}  // namespace

void check_support(const KernelShape& shape, const Schema& schema) {
  if (shape.support.empty()) return;
  const Ref support = Ref::option("support");
  if (shape.of_function) {
    throw InputError(Code::kBadOption, {},
                     {"{} does not go with a kernel that is a function", support},
                     "Give one of the kernels by name.");
  }
  if (!shape.factor.empty()) {
    throw InputError(Code::kBadOption, {},
                     {"{} does not go with kernels that lie aslant, as of {}", support,
                      Ref::option("bandwidth_matrix")},
                     "Give the diagonal of the matrix alone.");
  }
  const bool tails = !is_compact(shape.kernel) && shape.kernel != SmoothingKernel::kGaussian;
  if (tails && ssize(shape.bandwidth) > 1) {
    throw InputError(
        Code::kBadOption, {},
        {"{} of more than one column goes with gaussian kernels and those that end", support},
        {"Give {}.", Ref::option("kernel", "gaussian")});
  }
  double all = 1;
  for (Index j = 0; j < ssize(shape.support); ++j) {
    if (shape.support[usize(j)].linear()) check_linear(shape, j, schema);
    const ColumnSupport& column = shape.support[usize(j)];
    const double h = shape.bandwidth[usize(j)];
    const Index count = Images(column, h * widest_of(shape), shape.kernel).count();
    all *= static_cast<double>(count);
    if (count > 0 && all <= 4096) continue;
    throw InputError(Code::kBadOption, {.column = schema.name(j)},
                     {"kernels of bandwidth {} are too wide for {} from {} to {}", h, support,
                      column.low, column.high},
                     {"Give a smaller {}.", Ref::option("bandwidth")});
  }
}

RowKernels::RowKernels(KernelShape shape, Points points, double rtol, const Exec& exec)
    : shape_(std::move(shape)) {
  const Index d = columns();
  double log_scale = 0;
  for (Index j = 0; j < d; ++j) {
    const double h =
        shape_.factor.empty() ? shape_.bandwidth[usize(j)] : shape_.factor[usize(j * d + j)];
    log_scale -= std::log(h);
    log_scales_.push_back(log_scale - (shape_.of_function ? 0 : log_volume(kernel(), j + 1)));
  }
  if (shape_.of_function) {
    if (!shape_.factor.empty()) {
      const double* const middle = points.view().row(points.size() / 2);
      units_.emplace(shape_.factor, std::vector<double>(middle, middle + d));
      rows_ = points;
    }
    points_ = units_ ? units_->apply(points, row_doubt_) : points;
    weight_ = points.weight();
    return;
  }
  if (shape_.factor.empty() && d == 1 && shape_.support.empty() && shape_.row_scales.empty()) {
    sums_.emplace(kernel(), shape_.bandwidth[0], std::move(points.rows),
                  std::move(points.weights).take(), rtol, in_parallel(exec));
    return;
  }
  if (shape_.factor.empty()) {
    add_sums(shape_.bandwidth, points, rtol, exec);
  } else {
    const double* const middle = points.view().row(points.size() / 2);
    units_.emplace(shape_.factor, std::vector<double>(middle, middle + d));
    const Points white = units_->apply(points, row_doubt_);
    add_sums(std::vector<double>(usize(d), 1), white, rtol, exec);
    if (is_compact(kernel()) && kernel() != SmoothingKernel::kTophat && !adaptive_) {
      within_.emplace(SmoothingKernel::kTophat, std::vector<double>(usize(d), 1 + kMostDoubt),
                      white.view(), white.weights.given());
    }
  }
  for (Index j = 0; j < ssize(shape_.support); ++j) {
    images_.emplace_back(shape_.support[usize(j)], shape_.bandwidth[usize(j)] * widest_of(shape_),
                         kernel());
    if (shape_.support[usize(j)].linear()) {
      linear_.emplace(kernel(), shape_.bandwidth[0], points, shape_.support[0], *sums_, exec);
    }
    low_.push_back(INFINITY);
    high_.push_back(-INFINITY);
    for (Index i = 0; i < points.size(); ++i) {
      low_.back() = std::min(low_.back(), points.view().row(i)[j]);
      high_.back() = std::max(high_.back(), points.view().row(i)[j]);
    }
  }
  if (units_ || adaptive_) rows_ = std::move(points);
}

Points RowKernels::points() const {
  if (rows_) return *rows_;
  if (points_) return *points_;
  std::vector<double> weights = sums_->weights();
  Points points{
      columns(), sums_->rows(),
      weights.empty() ? RowWeights::ones(sums_->points()) : RowWeights(std::move(weights))};
  return columns() == 1 ? points : sorted_points(std::move(points), {.threads = 1});
}

void RowKernels::add_sums(std::vector<double> bandwidths, const Points& points, double rtol,
                          const Exec& exec) {
  if (shape_.row_scales.empty()) {
    sums_.emplace(kernel(), bandwidths, points.view(), points.weights.given(), rtol,
                  in_parallel(exec));
    return;
  }
  adaptive_.emplace(kernel(), std::move(bandwidths), points, shape_.row_scales);
  for (Index first = 1; first <= columns(); ++first) {
    log_weights_.push_back(adaptive_->log_weight(first));
  }
}

Points RowKernels::placed(const Points& points) const {
  double doubt = 0;
  return units_ ? units_->apply(points, doubt) : points;
}

const double* RowKernels::placed(const double* x, double* work) const {
  if (!units_) return x;
  units_->apply(x, work);
  return work;
}

std::vector<double> RowKernels::widths(Index first) const {
  std::vector<double> widths(shape_.bandwidth.begin(), shape_.bandwidth.begin() + first);
  if (units_) std::ranges::fill(widths, 1.0);
  return widths;
}

std::vector<double> RowKernels::log_kernels(const double* x) const {
  if (!points_) return {};
  std::vector<double> work(usize(2 * columns())), out(usize(points_->size()));
  shape_.given->products(placed(x, work.data()), widths(columns()), points_->view(), 0, out);
  for (double& v : out) v = std::log(v) + log_scale(columns());
  return out;
}

double RowKernels::log_peak() const {
  const auto d = static_cast<double>(columns());
  return log_scale(columns()) + (points_ ? d * std::log(shape_.given_known[0]) : 0);
}

// log S, of one image.
KernelSum RowKernels::sum(const double* x, double rtol, Index first, double* work) const {
  if (points_) {
    need_function(shape_);
    return shape_.given->sum(placed(x, work), widths(first), points_->view(),
                             points_->weights.all());
  }
  if (!units_) return adaptive_ ? adaptive_->at(x, first) : sums_->at(x, rtol, first);
  const KernelSum found = sum_in_units(x, rtol, first, work);
  const bool hold = found.error <= rtol || !(found.error < INFINITY) || found.log_sum == kNever;
  if (hold || adaptive_ || is_compact(kernel())) return found;
  const KernelSum careful = careful_sum(x, first);
  return careful.error < found.error ? careful : found;
}

KernelSum RowKernels::sum_in_units(const double* x, double rtol, Index first, double* work) const {
  double doubt = units_->apply(x, work);
  if (!(doubt < INFINITY)) return {kNever, INFINITY};
  doubt += row_doubt_ * units_->length(work);
  if (adaptive_) doubt /= adaptive_->narrowest();
  KernelSum found = adaptive_ ? adaptive_->at(work, first) : sums_->at(work, rtol, first);
  if (found.log_sum == kNever || !(found.error < INFINITY)) return found;
  const double exponents =
      std::max(log_weight(first) - found.log_sum, 0.0) + found.error + std::log(4.0);
  double log_change = 1.01 * (doubt + row_doubt_ * exponents);
  if (kernel() == SmoothingKernel::kGaussian) {
    log_change = 1.01 * (doubt * (std::sqrt(2 * exponents) + doubt) + 2 * row_doubt_ * exponents);
  } else if (kernel() == SmoothingKernel::kTophat) {
    return found;
  } else if (is_compact(kernel())) {
    const bool within = within_ && doubt < kMostDoubt;
    const double near = within ? within_->at(work, rtol, first).log_sum : log_weight(first);
    found.error += 1.01 * (doubt + 2 * row_doubt_) * kSteepest * std::exp(near - found.log_sum);
    return found;
  }
  found.error += std::expm1(log_change) * (1 + found.error);
  return found;
}

// Of each term: what its exponent is off by, and the rounding of its difference from the least one,
// of exp, and of products.
KernelSum RowKernels::careful_sum(const double* x, Index first) const {
  constexpr double kUnit = 0x1p-53, kFineUnit = 0x1p-97;
  const bool gaussian = kernel() == SmoothingKernel::kGaussian;
  const Index n = rows_->size();
  struct Exponent {
    DoubleDouble value;
    double doubt;
  };
  std::vector<Exponent> exponents(usize(n));
  std::vector<double> work(usize(4 * columns()));
  DoubleDouble least(INFINITY);
  for (Index i = 0; i < n; ++i) {
    const auto [square, doubt] =
        units_->careful_square(x, rows_->view().row(i), first, work.data());
    const DoubleDouble u = sqrt(square);
    Exponent& exponent = exponents[usize(i)];
    if (gaussian) {
      exponent = {{square.high / 2, square.low / 2},
                  doubt * (u.high + doubt) + kFineUnit * square.high};
    } else {
      exponent = {u, doubt + kFineUnit * u.high};
    }
    if (exponent.value.high < least.high ||
        (exponent.value.high == least.high && exponent.value.low < least.low)) {
      least = exponent.value;
    }
  }
  if (!std::isfinite(least.high)) return {kNever, INFINITY};
  DoubleDouble sum;
  double errors = 0;
  for (Index i = 0; i < n; ++i) {
    const Exponent& exponent = exponents[usize(i)];
    const double more = double(exponent.value - least);
    double term = rows_->weights[usize(i)] * std::exp(-more);
    if (kernel() == SmoothingKernel::kLogistic) {
      const double root = 1 + std::exp(-exponent.value.high);
      term *= 4 / (root * root);
    }
    if (!(term > 0)) continue;
    sum += DoubleDouble(term);
    errors += term * std::expm1(exponent.doubt + kUnit * (2 * more + 16));
  }
  const double all = double(sum), log_all = std::log(all);
  const double log_sum = double(DoubleDouble(log_all) - least);
  const double vanished = weight() * 0x1p-1000 / all;
  return {log_sum,
          1.01 * errors / all + vanished + 4 * kUnit * (std::abs(log_all) + std::abs(log_sum) + 1)};
}

// `use` is told the coordinates of each image, and which it is; false: there need be no more.
template <class Use>
void RowKernels::for_images(const double* x, Index first, double* image, const Use& use) const {
  Index all = 1;
  for (Index j = 0; j < first; ++j) all *= images_[usize(j)].count();
  for (Index number = 0; number < all; ++number) {
    for (Index j = 0, rest = number; j < first; ++j) {
      const Images& column = images_[usize(j)];
      image[j] = column.at(rest % column.count(), x[j]);
      rest /= column.count();
    }
    use(number);
  }
}

// That of log S by the distance of x from all points.
double RowKernels::log_bound(const double* x, Index first) const {
  double square = 0;
  for (Index j = 0; j < first; ++j) {
    const double gap = std::max({low_[usize(j)] - x[j], x[j] - high_[usize(j)], 0.0});
    const double h = shape_.bandwidth[usize(j)] * (adaptive_ ? adaptive_->widest() : 1);
    const double u = gap / h * (1 - 1e-12);
    square += u * u;
  }
  return log_weight(first) + log_profile(kernel(), std::sqrt(square));
}

KernelSum RowKernels::density(const double* x, double rtol, Index first, double* work) const {
  KernelSum found;
  if (images_.empty()) {
    found = sum(x, rtol, first, work + columns());
  } else if (linear_) {
    if (!shape_.support[0].holds(x[0])) return {kNever, 0};
    found = linear_->sum(*sums_, x[0], rtol);
  } else {
    for (Index j = 0; j < first; ++j) {
      if (!shape_.support[usize(j)].holds(x[j])) return {kNever, 0};
    }
    // Those that add less than the last bit are passed over.
    constexpr double kLittle = 38, kPassed = 4096 * 0x1p-54;
    found = {kNever, kPassed};
    for_images(x, first, work, [&](Index) {
      if (log_bound(work, first) < found.log_sum - kLittle) return;
      const KernelSum more = sum(work, rtol, first, work + columns());
      found.error = std::max(found.error, more.error + kPassed) + 0x1p-50;
      if (more.log_sum == kNever) return;
      const double top = std::max(found.log_sum, more.log_sum);
      found.log_sum = top + std::log(std::exp(found.log_sum - top) + std::exp(more.log_sum - top));
      found.error += 0x1p-52 * std::abs(top);
    });
  }
  if (found.log_sum == kNever) return found;
  const double log_scale = this->log_scale(first) - std::log(weight());
  found.log_sum += log_scale;
  found.error += kSpecialError * (1 + std::abs(log_scale)) + 0x1p-53 * std::abs(found.log_sum);
  return found;
}

double RowKernels::log_kernel(const double* x, const double* row, double scale) const {
  const Index d = columns();
  std::vector<double> work(usize(5 * d));
  const auto of_image = [&](const double* at) {
    double* const z = &work[usize(d)];
    const double* const from = placed(row, z);
    const double* const to = placed(at, z + 2 * d);
    double square = 0;
    for (Index j = 0; j < d; ++j) {
      const double h = units_ ? 1 : shape_.bandwidth[usize(j)];
      const double u = (to[j] - from[j]) / h;
      square += u * u;
    }
    return log_profile(kernel(), std::sqrt(square) / scale) + log_peak() -
           static_cast<double>(d) * std::log(scale);
  };
  if (images_.empty()) return of_image(x);
  std::vector<double> logs;
  for_images(x, d, work.data(), [&](Index) { logs.push_back(of_image(work.data())); });
  return log_sum_exp(logs);
}

void RowKernels::draw(const double* row, double scale, Random& random, double* out) const {
  if (points_) {
    need_function(shape_);
    for (Index j = 0; j < columns(); ++j) out[j] = shape_.given->draw(random);
  } else {
    draw_kernel(kernel(), columns(), random, out);
  }
  for (Index j = 0; j < columns(); ++j) out[j] *= scale;
  if (units_) units_->turn(out, out);
  for (Index j = 0; j < columns(); ++j) {
    out[j] = row[j] + (units_ ? 1 : shape_.bandwidth[usize(j)]) * out[j];
    if (!images_.empty()) out[j] = images_[usize(j)].fold(out[j]);
  }
}

RowSpread::RowSpread(const RowKernels& kernels, const Points& points, double rows)
    : kernels_(kernels),
      points_(points),
      rows_(rows),
      most_(std::log(kernels.weight()) - std::log(*std::ranges::min_element(points.weights))) {
  const KernelShape& shape = kernels.shape();
  if (!shape.support.empty() || !shape.row_scales.empty() || shape.of_function) return;
  const Points placed = kernels.placed(points);
  const std::vector<double> own = kernels.shape().factor.empty()
                                      ? kernels.shape().bandwidth
                                      : std::vector<double>(usize(kernels.columns()), 1);
  const auto add = [&](SmoothingKernel square, double factor) {
    squares_.emplace_back(square, times(own, factor), placed.view(), points.weights.given());
  };
  const SmoothingKernel kernel = kernels.kernel();
  if (kernel == SmoothingKernel::kGaussian) {
    add(kernel, std::sqrt(0.5));
  } else if (kernel == SmoothingKernel::kExponential) {
    add(kernel, 0.5);
  } else if (kernel == SmoothingKernel::kTophat) {
    add(kernel, 1);
  } else if (kernel == SmoothingKernel::kEpanechnikov) {
    add(SmoothingKernel::kBiweight, 1);
  } else if (kernel == SmoothingKernel::kLinear) {  // (1 - u)^2 = 2 (1 - u) - (1 - u^2)
    add(kernel, 1);
    add(SmoothingKernel::kEpanechnikov, 1);
  }
}

double RowSpread::log_kernel_of(const double* x, Index row) const {
  return kernels_.log_kernel(x, points_.view().row(row), kernels_.shape().scale_of(row));
}

double RowSpread::distance(double x, Index row) const {
  return (x - points_.rows[usize(row)]) / kernels_.shape().bandwidth[0];
}

// log |K_i(x)| with linear ends, but for the factor of p that they share.
double RowSpread::log_effect(double x, Index row, double mean) const {
  const double u = distance(x, row);
  return log_profile(kernels_.kernel(), std::abs(u)) +
         std::log(std::abs(1 + kernels_.linear()->slope(x) * (u - mean)));
}

// As RowSpread::left_out() has it, with the same M.
double RowSpread::linear_left_out(double x, Index own) const {
  std::vector<double> logs(usize(points_.size()), kNever);
  double copy = 0;
  for (Index i = 0; i < points_.size(); ++i) {
    const double weight = points_.weights[usize(i)];
    if (i == own) copy = std::min(weight, 1.0);
    const double left = i == own ? weight - copy : weight;
    if (left > 0) {
      logs[usize(i)] = std::log(left) + log_profile(kernels_.kernel(), std::abs(distance(x, i)));
    }
  }
  const double log_sum = log_sum_exp(logs);
  if (log_sum == kNever) return kNever;
  double mean = 0;
  for (Index i = 0; i < points_.size(); ++i) {
    if (logs[usize(i)] > kNever) mean += std::exp(logs[usize(i)] - log_sum) * distance(x, i);
  }
  return log_sum + kernels_.linear()->log_factor(x, mean) + kernels_.log_peak() -
         std::log(kernels_.weight() - copy);
}

double RowSpread::log_mean_square(const double* x) const {
  if (const LinearEnds* const linear = kernels_.linear()) {
    const double mean = linear->mean(kernels_.plain(), x[0]);
    std::vector<double> logs;
    for (Index i = 0; i < points_.size(); ++i) {
      const double log_effect = this->log_effect(x[0], i, mean);
      if (log_effect > kNever) {
        logs.push_back(2 * log_effect + std::log(points_.weights[usize(i)]));
      }
    }
    return log_sum_exp(logs) - std::log(kernels_.weight()) +
           2 * (linear->log_factor(x[0], mean) + kernels_.log_peak());
  }
  if (!squares_.empty()) {
    std::vector<double> work(usize(2 * kernels_.columns()));
    const double* const at = kernels_.placed(x, work.data());
    double log_sum = squares_[0].at(at, kSquareTolerance).log_sum;
    if (squares_.size() == 2) {
      const double less = squares_[1].at(at, kSquareTolerance).log_sum;
      log_sum += std::log(2 - std::exp(less - log_sum));
    }
    return log_sum + 2 * kernels_.log_peak() - std::log(kernels_.weight());
  }
  const std::vector<double> given = kernels_.log_kernels(x);
  std::vector<double> logs;
  for (Index i = 0; i < points_.size(); ++i) {
    const double log_kernel = given.empty() ? log_kernel_of(x, i) : given[usize(i)];
    if (log_kernel > kNever) logs.push_back(2 * log_kernel + std::log(points_.weights[usize(i)]));
  }
  return log_sum_exp(logs) - std::log(kernels_.weight());
}

double RowSpread::log_relative_error(const double* x, double log_density) const {
  if (log_density == kNever) return NAN;
  double log_ratio = (log_mean_square(x) - log_density) - log_density;
  log_ratio = log_ratio >= 0 ? std::min(log_ratio, most_) : std::isnan(log_ratio) ? most_ : 0.0;
  return (log_ratio + std::log(-std::expm1(-log_ratio)) - std::log(rows_)) / 2;
}

double RowSpread::left_out(const double* x, double log_density) const {
  const Index d = kernels_.columns();
  Index low = 0, high = points_.size();
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    const double* const row = points_.view().row(middle);
    if (std::lexicographical_compare(row, row + d, x, x + d)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == points_.size() || !std::equal(x, x + d, points_.view().row(low))) return NAN;
  const double weight = points_.weights[usize(low)], copy = std::min(weight, 1.0);
  const double rest = kernels_.weight() - copy;
  if (points_.size() == 1 && weight == copy) return NAN;
  if (kernels_.linear() != nullptr) return linear_left_out(x[0], low);
  const std::vector<double> given = kernels_.log_kernels(x);
  const auto log_kernel_at = [&](Index i) {
    return given.empty() ? log_kernel_of(x, i) : given[usize(i)];
  };
  const double share = copy * std::exp(log_kernel_at(low) - log_density) / kernels_.weight();
  if (share <= kMostShare) {
    return log_density + std::log1p(-share) + std::log(kernels_.weight() / rest);
  }
  std::vector<double> logs;
  for (Index i = 0; i < points_.size(); ++i) {
    const double left = points_.weights[usize(i)] - (i == low ? copy : 0);
    const double log_kernel = left > 0 ? log_kernel_at(i) : kNever;
    if (log_kernel > kNever) logs.push_back(log_kernel + std::log(left));
  }
  return logs.empty() ? kNever : log_sum_exp(logs) - std::log(rest);
}

}  // namespace craton
