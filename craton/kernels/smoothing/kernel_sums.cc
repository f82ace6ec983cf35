#include "craton/kernels/smoothing/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/error.h"
#include "craton/kernels/double_double.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/smoothing/kernel_sums.cc"
// foreach_target comes before what it repeats.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/smoothing/kernel_terms.h"

// O(points x columns) a sum: distances of 512 points at a time to memory that is near, then their
// kernels. Point i goes to partial sum i mod 8; those of 512 points are added in pairs, and what
// they give one after the other.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

void block_distances(const double* x, const double* ratios, std::size_t columns, std::size_t stride,
                     const double* blocks, std::size_t count, double* out) {
  squared_distances_to_blocks(x, ratios, columns, stride, blocks, count, out);
}

double least_value(const double* values, std::size_t count) { return least_of(values, count); }

void kernel_sum(SmoothingKernel kernel, double unit, double shift, double margin,
                const double* squares, const double* weights, std::size_t count, double* sum,
                double* doubt) {
  Vector sums[kVectors], doubts[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = doubts[v] = hn::Zero(kTag);
  add_kernel_terms(kernel, unit, shift, margin, squares, weights, count, sums, doubts);
  *sum += add_in_pairs(sums);
  *doubt += add_in_pairs(doubts);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(block_distances);
HWY_EXPORT(least_value);
HWY_EXPORT(kernel_sum);

namespace {

// Points of a block, and blocks of a partial sum.
constexpr Index kLanes = BlockWeights::kLanes, kTogether = BlockWeights::kTogether;
constexpr double kUnit = 0x1p-53;
// A sum below this share of all weights may have lost terms: those below e^-745 vanish.
constexpr double kFaint = 1e-250;
// Of terms, and of partial sums: exp is right to 1 ulp, the sine to 3.
constexpr double kTermRounding = 24 + 3;
// Of the tolerance, what trees may make of it; rounding takes the rest.
constexpr double kShare = 0.98;

Index blocks_of(Index points) { return (points + kLanes - 1) / kLanes; }

double weight_of_all(std::span<const double> weights, Index points) {
  if (weights.empty()) return static_cast<double>(points);
  DoubleDouble weight;
  for (const double w : weights) weight += DoubleDouble(w);
  return double(weight);
}

double margin_of(Index columns) { return kUnit * static_cast<double>(columns + 12); }

// The profile of a kernel that ends at u = 1, given s = 1 - u^2, to a few roundings of itself.
double profile_from_end(SmoothingKernel kernel, double s, double u) {
  if (!(s > 0)) return 0;
  const double from_end = s / (1 + u);  // 1 - u
  switch (kernel) {
    case SmoothingKernel::kEpanechnikov:
      return s;
    case SmoothingKernel::kBiweight:
      return s * s;
    case SmoothingKernel::kTriweight:
      return s * s * s;
    case SmoothingKernel::kTricube: {
      const double cube = from_end * (1 + u + u * u);
      return cube * cube * cube;
    }
    case SmoothingKernel::kLinear:
      return from_end;
    case SmoothingKernel::kCosine:
      return std::sin(std::numbers::pi / 2 * from_end);
    default:
      break;
  }
  assertion_failed("a kernel that ends", __FILE__, __LINE__);
}

}  // namespace

KernelSums::KernelSums(SmoothingKernel kernel, std::span<const double> bandwidths,
                       const Dense<double>& points, std::span<const double> weights, double rtol,
                       RunTasks run)
    : kernel_(kernel), points_(points.rows), unit_(bandwidths[0]) {
  CRATON_ASSERT(points.rows > 0 && ssize(bandwidths) == points.cols);
  const Index d = points.cols, blocks = blocks_of(points.rows);
  for (const double h : bandwidths) {
    const DoubleDouble ratio = DoubleDouble(unit_) / DoubleDouble(h);
    ratios_.push_back(ratio.high);
    ratio_rests_.push_back(ratio.low);
  }
  // First what takes memory on its way.
  const bool cells = kernel == SmoothingKernel::kGaussian && (d == 2 || d == 3);
  if (cells) fast_.emplace<TensorCells>(bandwidths, points, weights, rtol, run);
  std::vector<std::uint32_t> order;
  if (d > 1) tree_.emplace(kernel, bandwidths, ratios_, points, weights, order, run);
  const auto place = [&](Index i) { return order.empty() ? i : Index{order[usize(i)]}; };
  blocks_.resize(usize(blocks * d * kLanes));
  std::vector<double> placed_weights(weights.size());
  for (Index i = 0; i < blocks * kLanes; ++i) {
    const double* const row = points.row(place(std::min(i, points.rows - 1)));
    for (Index j = 0; j < d; ++j) {
      blocks_[usize((i / kLanes * d + j) * kLanes + i % kLanes)] = row[j];
    }
    if (i < ssize(weights)) placed_weights[usize(i)] = weights[usize(place(i))];
  }
  weights_ = BlockWeights(std::move(placed_weights), points_);
  weight_ = weight_of_all(weights, points_);
  if (d == 1) prepare_line(run);
}

KernelSums::KernelSums(SmoothingKernel kernel, double bandwidth, std::vector<double> points,
                       std::vector<double> weights, double, RunTasks run)
    : kernel_(kernel),
      points_(ssize(points)),
      unit_(bandwidth),
      ratios_{1},
      ratio_rests_{0},
      blocks_(std::move(points)) {
  CRATON_ASSERT(points_ > 0);
  weight_ = weight_of_all(weights, points_);
  blocks_.resize(usize(blocks_of(points_) * kLanes), blocks_.back());
  weights_ = BlockWeights(std::move(weights), points_);
  prepare_line(run);
}

void KernelSums::prepare_line(RunTasks run) {
  if (is_compact(kernel_)) {
    fast_.emplace<LineMoments>(kernel_, unit_, line(), weights_.given());
  } else if (kernel_ == SmoothingKernel::kGaussian) {
    fast_.emplace<GaussianCells>(unit_, line(), weights_.given(), run);
  } else if (kernel_ == SmoothingKernel::kExponential) {
    fast_.emplace<LineDecays>(unit_, line(), weights_.given());
  }
}

std::vector<double> KernelSums::rows() const {
  std::vector<double> rows;
  rows.reserve(usize(points_ * columns()));
  for (Index i = 0; i < points_; ++i) {
    for (Index j = 0; j < columns(); ++j) rows.push_back(coordinate(i, j));
  }
  return rows;
}

std::vector<double> KernelSums::weights() const {
  return {weights_.given().begin(), weights_.given().end()};
}

template <class Before>
Index KernelSums::first_not(const Before& before) const {
  Index low = 0, high = points_;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (before(coordinate(middle, 0))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The points whose first coordinate is within `reach` of that of x. Rounding of differences is far
// below the margin.
void KernelSums::keep_within(double reach, Query& q) const {
  const double x = q.x[0], end = reach * (1 + 1e-9);
  q.first = first_not([&](double y) { return x - y > end; }) / kLanes;
  q.last = blocks_of(first_not([&](double y) { return y - x <= end; }));
}

KernelSums::Query KernelSums::query(const double* x, double rtol, Index columns) const {
  Query q{x, columns, 0, blocks_of(points_), INFINITY};
  if (tree_) return q;
  if (is_compact(kernel_)) {
    keep_within(unit_, q);
  } else {
    // S is at least the term of the nearest point on either side, and beyond some distance all
    // points together are less than a quarter of rtol beside that.
    const bool gaussian = kernel_ == SmoothingKernel::kGaussian;
    const Index right = first_not([&](double y) { return y < x[0]; });
    double most = -INFINITY;
    for (const Index i : {std::max<Index>(right - 1, 0), std::min(right, points_ - 1)}) {
      const double u = std::abs(x[0] - coordinate(i, 0)) / unit_;
      most = std::max(most, std::log(weights_[i]) - (gaussian ? u * u / 2 : u));
    }
    if (!std::isfinite(most)) return q;
    const double far = std::log(16 * weight_ / rtol) - most;
    keep_within((gaussian ? std::sqrt(2 * far) : far) * unit_, q);
    q.beyond = far - std::log(4.0);
  }
  return q;
}

void KernelSums::distances(Query q, Index first, Index last, double* out) const {
  HWY_DYNAMIC_DISPATCH(block_distances)
  (q.x, ratios_.data(), usize(q.columns), ratios_.size(),
   blocks_.data() + first * columns() * kLanes, usize(last - first), out);
}

KernelSums::Sums KernelSums::sums(Query q, double shift, double target) const {
  if (tree_) {
    const double faint = shift > 0 || is_compact(kernel_) ? 0 : kFaint * weight_;
    return tree_->sum(q.x, q.columns, point_blocks(), margin_of(q.columns), shift, target, faint);
  }
  alignas(64) double squares[kTogether * kLanes];
  Sums result;
  result.roundings = kTogether + static_cast<double>(points_) / (kLanes * kTogether);
  for (Index first = q.first; first < q.last; first += kTogether) {
    const Index last = std::min(first + kTogether, q.last);
    distances(q, first, last, squares);
    HWY_DYNAMIC_DISPATCH(kernel_sum)
    (kernel_, unit_, shift, margin_of(q.columns), squares, weights_.blocks(first, last),
     usize((last - first) * kLanes), &result.sum, &result.doubt);
  }
  return result;
}

double KernelSums::nearest(Query q) const {
  alignas(64) double squares[kTogether * kLanes];
  double least = tree_ ? tree_->nearest(q.x, q.columns, point_blocks()) : INFINITY;
  for (Index first = q.first; !tree_ && first < q.last; first += kTogether) {
    const Index last = std::min(first + kTogether, q.last);
    distances(q, first, last, squares);
    least =
        std::min(least, HWY_DYNAMIC_DISPATCH(least_value)(squares, usize((last - first) * kLanes)));
  }
  const double u = std::sqrt(least) / unit_;
  return kernel_ == SmoothingKernel::kGaussian ? u * u / 2 : u;
}

namespace {

// What the nodes of a tree that were not opened leave open, relative.
double error_of_nodes(const TreeSums::Sum& found) {
  if (found.error == 0) return 0;
  return found.error < found.sum ? found.error / (found.sum - found.error) : INFINITY;
}

}  // namespace

KernelSum KernelSums::endless_sum(Query q, double rtol) const {
  double shift = 0, target = kShare * rtol;
  Sums found = sums(q, 0, target);
  if (!(found.sum - found.error >= kFaint * weight_)) {
    shift = nearest(q);
    if (!std::isfinite(shift)) return {-INFINITY, INFINITY};
    found = sums(q, shift, target);
  }
  for (bool again = false;; again = true) {
    const double log_sum = std::log(found.sum) - shift;
    const double exponents = std::log(weight_) - log_sum + std::log(4.0) + 1;
    const double rounding =
        margin_of(q.columns) * exponents + kUnit * (kTermRounding + found.roundings) +
        weight_ * 0x1p-1070 / found.sum + 4 * kUnit * (shift + std::abs(std::log(found.sum))) +
        std::exp(std::log(weight_) - q.beyond - log_sum);
    const double error = error_of_nodes(found) + rounding;
    if (error <= rtol || found.error == 0 || again) return {log_sum, error};
    target = std::max(rtol - rounding, rounding / 16);
    found = sums(q, shift, target);
  }
}

KernelSum KernelSums::compact_sum(Query q, double rtol) const {
  Sums found = sums(q, 0, kShare * rtol);
  const auto with_error = [&](double sum, double margin) {
    const double log_sum = std::log(sum);
    return KernelSum{log_sum, error_of_nodes(found) + 1.01 * margin * found.doubt / sum +
                                  kUnit * (kTermRounding + found.roundings) +
                                  4 * kUnit * std::abs(log_sum)};
  };
  KernelSum quick = with_error(found.sum, margin_of(q.columns));
  if (found.error > 0 && !(quick.error <= rtol)) {
    found = sums(q, 0, 0);
    quick = with_error(found.sum, margin_of(q.columns));
  }
  if (found.sum == 0 && found.doubt == 0) return {-INFINITY, 0};
  const bool decided = kernel_ == SmoothingKernel::kTophat;
  if (found.sum > 0 && (decided || quick.error <= rtol)) return quick;
  const double sum = careful_sum(q);
  if (sum == 0) return {-INFINITY, 0};
  KernelSum careful = with_error(sum, static_cast<double>(q.columns + 8) * 0x1p-102);
  careful.error += kUnit * kLanes * kTogether;  // of sums one by one
  return careful.error < quick.error || found.sum == 0 ? careful : quick;
}

// sum_i w_i k from 1 - u^2 in 106 bits, point after point.
double KernelSums::careful_sum(Query q) const {
  const DoubleDouble end = exact_product(unit_, unit_);
  const double far = end.high * (1 + 8 * margin_of(q.columns));
  alignas(64) double squares[kTogether * kLanes];
  const Index step = tree_ ? KdTree::kLeaf / kLanes : kTogether;
  double sum = 0;
  for (Index first = q.first; first < q.last; first += step) {
    if (tree_ && !tree_->within(q.x, q.columns, first / step, far)) continue;
    const Index last = std::min(first + step, q.last);
    distances(q, first, last, squares);
    double part = 0;
    for (Index i = 0; i < (last - first) * kLanes; ++i) {
      if (squares[i] > far) continue;
      const Index point = first * kLanes + i;
      DoubleDouble left = end;
      for (Index j = 0; j < q.columns; ++j) {
        const DoubleDouble ratio(ratios_[usize(j)], ratio_rests_[usize(j)]);
        const DoubleDouble gap = exact_difference(q.x[j], coordinate(point, j)) * ratio;
        left -= gap * gap;
      }
      const double s = double(left) / end.high, u = std::sqrt(squares[i]) / unit_;
      part += weights_[point] * profile_from_end(kernel_, s, u);
    }
    sum += part;
  }
  return sum;
}

// By what was made ready for sums of all columns.
std::optional<KernelSum> KernelSums::fast_sum(const double* x, Index first) const {
  if (first != columns()) return {};
  const std::span<const double> weights = weights_.given();
  const auto with_error = [](const auto& found) -> std::optional<KernelSum> {
    if (!found || !(found->value > found->error)) return {};
    const double log_sum = std::log(found->value);
    return KernelSum{log_sum,
                     found->error / (found->value - found->error) + 4 * kUnit * std::abs(log_sum)};
  };
  if (const auto* cells = std::get_if<TensorCells>(&fast_)) return with_error(cells->at(x));
  if (const auto* cells = std::get_if<GaussianCells>(&fast_)) return with_error(cells->at(x[0]));
  if (const auto* moments = std::get_if<LineMoments>(&fast_)) {
    return with_error(moments->at(x[0], line(), weights));
  }
  const auto* const decays = std::get_if<LineDecays>(&fast_);
  if (decays == nullptr) return {};
  const double log_sum = decays->log_sum(x[0], line(), weights);
  if (!std::isfinite(log_sum)) return {};
  const double exponents = std::log(weight_) - log_sum;
  return KernelSum{
      log_sum, kUnit * (static_cast<double>(points_) + 60 + 4 * exponents + 4 * std::abs(log_sum))};
}

KernelSum KernelSums::at(const double* x, double rtol, Index first) const {
  const std::optional<KernelSum> found = fast_sum(x, first);
  if (found && found->error <= rtol) return *found;
  const Query q = query(x, rtol, first);
  return is_compact(kernel_) ? compact_sum(q, rtol) : endless_sum(q, rtol);
}

}  // namespace craton
#endif
