#include "craton/kernels/smoothing/kernel_sums.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "craton/base/error.h"
#include "craton/kernels/double_double.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/smoothing/kernel_sums.cc"
// foreach_target comes before what it repeats.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

// O(points x columns) a sum: distances of 512 points at a time to memory that is near, then their
// kernels. Point i goes to partial sum i mod 8; those of 512 points are added in pairs, and what
// they give one after the other.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 8;
using Tag = hn::CappedTag<double, kLanes>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag()), kVectors = kLanes / kWidth;

HWY_INLINE Vector set(double value) { return hn::Set(kTag, value); }

// By the first columns of blocks that have `stride` of them.
void squared_distances_to_blocks(const double* x, const double* ratios, std::size_t columns,
                                 std::size_t stride, const double* blocks, std::size_t count,
                                 double* out) {
  for (std::size_t b = 0; b < count; ++b, out += kLanes, blocks += stride * kLanes) {
    Vector sum[kVectors];
    for (Vector& s : sum) s = hn::Zero(kTag);
    for (std::size_t j = 0; j < columns; ++j) {
      const Vector value = set(x[j]), ratio = set(ratios[j]);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector y = hn::LoadU(kTag, blocks + j * kLanes + v * kWidth);
        const Vector gap = hn::Mul(hn::Sub(value, y), ratio);
        sum[v] = hn::MulAdd(gap, gap, sum[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], kTag, out + v * kWidth);
  }
}

double least_of(const double* values, std::size_t count) {
  Vector least = set(INFINITY);
  for (std::size_t i = 0; i < count; i += kWidth) {
    least = hn::Min(least, hn::LoadU(kTag, values + i));
  }
  return hn::GetLane(hn::MinOfLanes(kTag, least));
}

HWY_INLINE double add_in_pairs(const Vector* partial) {
  double lanes[kLanes];
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(partial[v], kTag, lanes + v * kWidth);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// sum_i w_i k(v_i), and the same of the doubt, which term(v, k, doubt) gives.
template <class Term>
HWY_INLINE void add_terms(const double* squares, const double* weights, std::size_t count,
                          const Term& term, double* sum, double* doubt) {
  Vector sums[kVectors], doubts[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = doubts[v] = hn::Zero(kTag);
  for (std::size_t i = 0; i < count; i += kLanes) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector w = hn::LoadU(kTag, weights + i + v * kWidth);
      Vector k, d = hn::Zero(kTag);
      term(hn::LoadU(kTag, squares + i + v * kWidth), k, d);
      sums[v] = hn::MulAdd(w, k, sums[v]);
      doubts[v] = hn::MulAdd(w, d, doubts[v]);
    }
  }
  *sum += add_in_pairs(sums);
  *doubt += add_in_pairs(doubts);
}

// `unit` is h, exponents are a - shift, `margin` is delta.
void add_kernel_terms(SmoothingKernel kernel, double unit, double shift_by, double margin,
                      const double* squares, const double* weights, std::size_t count, double* sum,
                      double* doubt) {
  constexpr double kHalfPi = 1.57079632679489661923;
  const Vector one = set(1), zero = hn::Zero(kTag), per_square = set(1 / (unit * unit)),
               per_unit = set(1 / unit), shift = set(shift_by), beyond = set(1 + 4 * margin);
  const auto add = [&](const auto& term)
                       HWY_ATTR { add_terms(squares, weights, count, term, sum, doubt); };
  switch (kernel) {
    case SmoothingKernel::kGaussian: {
      const Vector half = hn::Mul(set(0.5), per_square);
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::Exp(kTag, hn::NegMulAdd(v, half, shift)); });
    }
    case SmoothingKernel::kExponential:
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::Exp(kTag, hn::NegMulAdd(hn::Sqrt(v), per_unit, shift)); });
    case SmoothingKernel::kLogistic: {
      const Vector more = set(shift_by > 0 ? 0 : 1);  // far away e^-u is nothing beside 1
      return add([&](Vector v, Vector& k, Vector&) HWY_ATTR {
        const Vector e = hn::Exp(kTag, hn::NegMulAdd(hn::Sqrt(v), per_unit, shift));
        const Vector root = hn::MulAdd(e, more, one);
        k = hn::Div(hn::Mul(set(4), e), hn::Mul(root, root));
      });
    }
    case SmoothingKernel::kTophat: {
      const Vector end = set(unit * unit);
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::IfThenElseZero(hn::Lt(v, end), one); });
    }
    case SmoothingKernel::kEpanechnikov:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square);
        k = hn::Max(zero, hn::Sub(one, t));
        d = hn::IfThenElseZero(hn::Lt(t, beyond), one);
      });
    case SmoothingKernel::kBiweight:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), s = hn::Max(zero, hn::Sub(one, t));
        k = hn::Mul(s, s);
        d = hn::Mul(set(2), hn::Max(zero, hn::Sub(beyond, t)));
      });
    case SmoothingKernel::kTriweight:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), s = hn::Max(zero, hn::Sub(one, t));
        const Vector near = hn::Max(zero, hn::Sub(beyond, t));
        k = hn::Mul(hn::Mul(s, s), s);
        d = hn::Mul(hn::Mul(set(3), near), near);
      });
    case SmoothingKernel::kTricube:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), cube = hn::Mul(t, hn::Sqrt(t));
        const Vector s = hn::Max(zero, hn::Sub(one, cube));
        const Vector near = hn::Max(zero, hn::Sub(beyond, cube));
        k = hn::Mul(hn::Mul(s, s), s);
        d = hn::Mul(hn::Mul(set(5), near), near);
      });
    case SmoothingKernel::kLinear:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector u = hn::Mul(hn::Sqrt(v), per_unit);
        k = hn::Max(zero, hn::Sub(one, u));
        d = hn::IfThenElseZero(hn::Lt(u, beyond), one);
      });
    case SmoothingKernel::kCosine:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector u = hn::Mul(hn::Sqrt(v), per_unit);
        k = hn::Sin(kTag, hn::Mul(set(kHalfPi), hn::Max(zero, hn::Sub(one, u))));
        d = hn::IfThenElseZero(hn::Lt(u, beyond), one);
      });
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(squared_distances_to_blocks);
HWY_EXPORT(least_of);
HWY_EXPORT(add_kernel_terms);

namespace {

constexpr Index kLanes = 8, kTogether = 64;  // points of a block; blocks of a partial sum
constexpr double kUnit = 0x1p-53;
// A sum below this share of all weights may have lost terms: those below e^-745 vanish.
constexpr double kFaint = 1e-250;
// Of terms, and of sums of 512: exp is right to 1 ulp, the sine to 3.
constexpr double kTermRounding = 24 + kTogether + 3;

Index blocks_of(Index points) { return (points + kLanes - 1) / kLanes; }

double rounding_of(Index points) {
  return kUnit * (kTermRounding + static_cast<double>(points) / (kLanes * kTogether));
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
                       TensorCells::Tasks run)
    : kernel_(kernel), points_(points.rows), unit_(bandwidths[0]) {
  CRATON_ASSERT(points.rows > 0 && ssize(bandwidths) == points.cols);
  const Index d = points.cols, blocks = blocks_of(points.rows);
  for (const double h : bandwidths) {
    const DoubleDouble ratio = DoubleDouble(unit_) / DoubleDouble(h);
    ratios_.push_back(ratio.high);
    ratio_rests_.push_back(ratio.low);
  }
  blocks_.resize(usize(blocks * d * kLanes));
  weights_.resize(usize(blocks * kLanes));
  for (Index i = 0; i < blocks * kLanes; ++i) {
    const double* const row = points.row(std::min(i, points.rows - 1));
    for (Index j = 0; j < d; ++j) {
      blocks_[usize((i / kLanes * d + j) * kLanes + i % kLanes)] = row[j];
    }
    if (i < points.rows) weights_[usize(i)] = weights[usize(i)];
  }
  DoubleDouble weight;
  for (const double w : weights) weight += DoubleDouble(w);
  weight_ = double(weight);
  if (d > 1) {
    const bool gaussian = kernel == SmoothingKernel::kGaussian;
    if (gaussian && d <= 3) fast_.emplace<TensorCells>(bandwidths, points, weights, rtol, run);
  } else if (is_compact(kernel)) {
    fast_.emplace<LineMoments>(kernel, unit_, line(), weights);
  } else if (kernel == SmoothingKernel::kGaussian) {
    fast_.emplace<GaussianCells>(unit_, line(), weights);
  } else if (kernel == SmoothingKernel::kExponential) {
    fast_.emplace<LineDecays>(unit_, line(), weights);
  }
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
  if (is_compact(kernel_)) {
    keep_within(unit_, q);
  } else if (columns == 1) {
    // S is at least the term of the nearest point on either side, and beyond some distance all
    // points together are less than a quarter of rtol beside that.
    const bool gaussian = kernel_ == SmoothingKernel::kGaussian;
    const Index right = first_not([&](double y) { return y < x[0]; });
    double most = -INFINITY;
    for (const Index i : {std::max<Index>(right - 1, 0), std::min(right, points_ - 1)}) {
      const double u = std::abs(x[0] - coordinate(i, 0)) / unit_;
      most = std::max(most, std::log(weights_[usize(i)]) - (gaussian ? u * u / 2 : u));
    }
    if (!std::isfinite(most)) return q;
    const double far = std::log(16 * weight_ / rtol) - most;
    keep_within((gaussian ? std::sqrt(2 * far) : far) * unit_, q);
    q.beyond = far - std::log(4.0);
  }
  return q;
}

void KernelSums::distances(Query q, Index first, Index last, double* out) const {
  HWY_DYNAMIC_DISPATCH(squared_distances_to_blocks)
  (q.x, ratios_.data(), usize(q.columns), ratios_.size(),
   blocks_.data() + first * columns() * kLanes, usize(last - first), out);
}

KernelSums::Sums KernelSums::sums(Query q, double shift) const {
  alignas(64) double squares[kTogether * kLanes];
  Sums result;
  for (Index first = q.first; first < q.last; first += kTogether) {
    const Index last = std::min(first + kTogether, q.last);
    distances(q, first, last, squares);
    HWY_DYNAMIC_DISPATCH(add_kernel_terms)
    (kernel_, unit_, shift, margin_of(q.columns), squares, weights_.data() + first * kLanes,
     usize((last - first) * kLanes), &result.sum, &result.doubt);
  }
  return result;
}

double KernelSums::nearest(Query q) const {
  alignas(64) double squares[kTogether * kLanes];
  double least = INFINITY;
  for (Index first = q.first; first < q.last; first += kTogether) {
    const Index last = std::min(first + kTogether, q.last);
    distances(q, first, last, squares);
    least =
        std::min(least, HWY_DYNAMIC_DISPATCH(least_of)(squares, usize((last - first) * kLanes)));
  }
  const double u = std::sqrt(least) / unit_;
  return kernel_ == SmoothingKernel::kGaussian ? u * u / 2 : u;
}

KernelSum KernelSums::endless_sum(Query q) const {
  double shift = 0, sum = sums(q, 0).sum;
  if (!(sum >= kFaint * weight_)) {
    shift = nearest(q);
    if (!std::isfinite(shift)) return {-INFINITY, INFINITY};
    sum = sums(q, shift).sum;
  }
  const double log_sum = std::log(sum) - shift;
  const double exponents = std::log(weight_) - log_sum + std::log(4.0);
  const double error = margin_of(q.columns) * exponents + rounding_of(points_) +
                       weight_ * 0x1p-1070 / sum + 4 * kUnit * (shift + std::abs(std::log(sum))) +
                       std::exp(std::log(weight_) - q.beyond - log_sum);
  return {log_sum, error};
}

KernelSum KernelSums::compact_sum(Query q, double rtol) const {
  const Sums found = sums(q, 0);
  if (found.sum == 0 && found.doubt == 0) return {-INFINITY, 0};
  const auto with_error = [&](double sum, double margin) {
    const double log_sum = std::log(sum);
    return KernelSum{log_sum, 1.01 * margin * found.doubt / sum + rounding_of(points_) +
                                  4 * kUnit * std::abs(log_sum)};
  };
  const KernelSum quick = with_error(found.sum, margin_of(q.columns));
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
  double sum = 0;
  for (Index first = q.first; first < q.last; first += kTogether) {
    const Index last = std::min(first + kTogether, q.last);
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
      part += weights_[usize(point)] * profile_from_end(kernel_, s, u);
    }
    sum += part;
  }
  return sum;
}

// By what was made ready for sums of all columns.
std::optional<KernelSum> KernelSums::fast_sum(const double* x, Index first) const {
  if (first != columns()) return {};
  const std::span<const double> weights(weights_.data(), usize(points_));
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
  return is_compact(kernel_) ? compact_sum(q, rtol) : endless_sum(q);
}

}  // namespace craton
#endif
