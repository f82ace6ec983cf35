#include "craton/density/line_distribution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "craton/base/error.h"
#include "craton/kernels/special.h"

// O(rows) to make ready. A value of F costs about a hundred cells, whatever the kernel is.
// Quantiles are found by Newton's method on log F, or on log(1 - F), between bounds.

namespace craton {
namespace {

// Of cells, at most: in kTerms terms T is right to 1e-15 of itself out to 6 bandwidths.
constexpr double kCellWidth = 0.125;
constexpr Index kFew = 4;  // points that are summed one by one
// Below this share a tail is summed point by point.
constexpr double kFarTail = 1e-9;
constexpr double kNear = 1e-14;  // of log F, for quantiles

// Beyond this many bandwidths a kernel has less than the last bit of 1.
double reach_of(SmoothingKernel kernel) {
  if (is_compact(kernel)) return 1;
  return kernel == SmoothingKernel::kGaussian ? 9 : 40;
}

// T by powers of 1 - |u|, of kernels that are polynomials there.
std::span<const double> tail_polynomial(SmoothingKernel kernel) {
  static constexpr std::array kTophat{0.0, 1 / 2.0};
  static constexpr std::array kLinear{0.0, 0.0, 1 / 2.0};
  static constexpr std::array kEpanechnikov{0.0, 0.0, 3 / 4.0, -1 / 4.0};
  static constexpr std::array kBiweight{0.0, 0.0, 0.0, 20 / 16.0, -15 / 16.0, 3 / 16.0};
  static constexpr std::array kTriweight{0.0,       0.0,        0.0,       0.0,
                                         70 / 32.0, -84 / 32.0, 35 / 32.0, -5 / 32.0};
  static constexpr std::array kTricube{0.0,       0.0,   0.0,      0.0,        70 / 12.0, -14.0,
                                       140 / 9.0, -10.0, 35 / 9.0, -70 / 81.0, 7 / 81.0};
  switch (kernel) {
    case SmoothingKernel::kTophat:
      return kTophat;
    case SmoothingKernel::kLinear:
      return kLinear;
    case SmoothingKernel::kEpanechnikov:
      return kEpanechnikov;
    case SmoothingKernel::kBiweight:
      return kBiweight;
    case SmoothingKernel::kTriweight:
      return kTriweight;
    case SmoothingKernel::kTricube:
      return kTricube;
    default:
      return {};
  }
}

// T^(b)(s) / b! for b = 0, 1, ..., at s <= 0.
void series_of_tail(SmoothingKernel kernel, double s, std::span<double> out) {
  const std::size_t count = out.size();
  switch (kernel) {
    case SmoothingKernel::kGaussian: {
      out[0] = std::erfc(-s / std::numbers::sqrt2) / 2;
      double before = 0, term = std::exp(-s * s / 2 - kHalfLogTwoPi);
      for (std::size_t b = 1; b < count; ++b) {
        out[b] = term / static_cast<double>(b);
        const double next = -(s * term + before) / static_cast<double>(b);
        before = term;
        term = next;
      }
      return;
    }
    case SmoothingKernel::kExponential: {
      out[0] = std::exp(s) / 2;
      for (std::size_t b = 1; b < count; ++b) out[b] = out[b - 1] / static_cast<double>(b);
      return;
    }
    case SmoothingKernel::kLogistic: {  // T' = T (1 - T)
      out[0] = 1 / (1 + std::exp(-s));
      for (std::size_t b = 0; b + 1 < count; ++b) {
        double product = 0;
        for (std::size_t i = 0; i <= b; ++i) product += out[i] * out[b - i];
        out[b + 1] = (out[b] - product) / static_cast<double>(b + 1);
      }
      return;
    }
    case SmoothingKernel::kCosine: {  // T = (1 - cos(pi (1 + s) / 2)) / 2
      const double half = std::numbers::pi / 2, at = half * (1 + s);
      const double sine = std::sin(at), cosine = std::cos(at), root = std::sin(at / 2);
      out[0] = root * root;
      double power = 0.5;
      for (std::size_t b = 1; b < count; ++b) {
        power *= half / static_cast<double>(b);
        const double turn[] = {-cosine, sine, cosine, -sine};
        out[b] = power * turn[b % 4];
      }
      return;
    }
    default: {
      const std::span<const double> polynomial = tail_polynomial(kernel);
      std::fill(out.begin(), out.end(), 0.0);
      for (std::size_t i = polynomial.size(); i-- > 0;) {  // Horner's rule, of a series in z
        for (std::size_t b = count - 1; b > 0; --b) out[b] = out[b] * (1 + s) + out[b - 1];
        out[0] = out[0] * (1 + s) + polynomial[i];
      }
    }
  }
}

}  // namespace

LineDistribution::LineDistribution(SmoothingKernel kernel, double h, const Points& points,
                                   const ColumnSupport& support, std::vector<double> scales,
                                   const LinearEnds* linear, const KernelTable* given)
    : kernel_(kernel),
      linear_(linear),
      given_(given),
      support_(support),
      images_(support, h * (scales.empty() ? 1 : *std::ranges::max_element(scales)), kernel),
      h_(h),
      scales_(std::move(scales)),
      points_(points.rows),
      weights_(points.weights.all()) {
  CRATON_ASSERT(points.columns == 1 && points.size() > 0);
  up_to_.push_back(0);
  for (const double w : weights_) up_to_.push_back(up_to_.back() + w);
  width_ = std::exp2(std::floor(std::log2(h * kCellWidth)));
  const double most = std::max(std::abs(points_.front()), std::abs(points_.back()));
  if (!(most / width_ < 0x1p52) || !scales_.empty() || given_ != nullptr) return;
  for (Index i = 0; i < points.size(); ++i) {
    const double middle = (std::floor(points_[usize(i)] / width_) + 0.5) * width_;
    if (cells_.empty() || cells_.back().middle != middle) cells_.push_back({middle, i, i, {}});
    Cell& cell = cells_.back();
    cell.last = i + 1;
    double term = weights_[usize(i)];
    for (double& moment : cell.moments) {
      moment += term;
      term *= (points_[usize(i)] - middle) / h;
    }
  }
}

// `left`: of the points that are at most x.
void LineDistribution::add_points(double x, Index first, Index last, Tail& left,
                                  Tail& right) const {
  const bool ends = is_compact(kernel_) && given_ == nullptr;
  double value[2];
  for (Index i = first; i < last; ++i) {
    const double scale = scales_.empty() ? 1 : scales_[usize(i)];
    const double s = -std::abs(x - points_[usize(i)]) / (h_ * scale);
    if (ends && s <= -1) continue;
    if (given_ != nullptr) {
      value[0] = given_->tail(-s), value[1] = given_->at(-s);
    } else {
      series_of_tail(kernel_, s, value);
    }
    Tail& tail = points_[usize(i)] <= x ? left : right;
    tail.sum += weights_[usize(i)] * value[0];
    tail.slope += weights_[usize(i)] * value[1] / scale;
  }
}

void LineDistribution::add_cell(double x, const Cell& cell, Tail& left, Tail& right) const {
  const double s = -std::abs(x - cell.middle) / h_, half = width_ / h_ / 2;
  if (is_compact(kernel_) && s + half < -1) return;
  const bool holds_x = -s <= half * 1.001, ends = is_compact(kernel_) && s - half * 1.001 <= -1;
  if (cell.last - cell.first <= kFew || holds_x || ends) {
    return add_points(x, cell.first, cell.last, left, right);
  }
  std::array<double, kTerms> series;
  series_of_tail(kernel_, s, series);
  Tail& tail = cell.middle <= x ? left : right;
  double sign = 1;
  for (std::size_t b = 0; b < kTerms; ++b) {
    tail.sum += sign * series[b] * cell.moments[b];
    if (cell.middle > x) sign = -sign;
  }
  sign = 1;
  for (std::size_t b = 1; b < kTerms; ++b) {
    tail.slope += sign * static_cast<double>(b) * series[b] * cell.moments[b - 1];
    if (cell.middle > x) sign = -sign;
  }
}

// Points on the left of x add what their kernels have not beyond it: at least half.
LineDistribution::Sides LineDistribution::sides(double x, const Tail& left,
                                                const Tail& right) const {
  const auto at_most = std::ranges::upper_bound(points_, x) - points_.begin();
  const double weight = up_to_.back(), on_left = up_to_[usize(at_most)];
  return {(on_left - left.sum + right.sum) / weight,
          (weight - on_left - right.sum + left.sum) / weight, (left.slope + right.slope) / weight};
}

namespace {

double between(const LineDistribution::Sides& a, const LineDistribution::Sides& b) {
  return std::abs(std::min(a.below, b.below) < 0.5 ? a.below - b.below : a.above - b.above);
}

}  // namespace

LineDistribution::Sides LineDistribution::at(double x) const {
  if (support_.whole()) return unfolded(x);
  if (x <= support_.low) return {0, 1, 0};
  if (x >= support_.high) return {1, 0, 0};
  if (linear_ != nullptr) {
    const auto found = linear_->sides(
        x, [&](double from, double to) { return share(from, to); },
        [&](double at) { return unfolded(at).slope; });
    return {found.below, found.above, found.slope};
  }
  Sides folded;
  for (Index image = 0; image < images_.count(); ++image) {
    const Sides here = unfolded(images_.at(image, x));
    folded.below += between(here, unfolded(images_.at(image, support_.low)));
    folded.above += between(here, unfolded(images_.at(image, support_.high)));
    folded.slope += here.slope;
  }
  return folded;
}

double LineDistribution::share(double low, double high) const {
  return between(unfolded(low), unfolded(high));
}

LineDistribution::Sides LineDistribution::unfolded(double x) const {
  if (std::isinf(x)) return {x > 0 ? 1.0 : 0.0, x > 0 ? 0.0 : 1.0, 0};
  const double reach = (reach_of(kernel_) + kCellWidth) * h_;
  if (!cells_.empty()) {
    Tail left, right;
    auto cell = std::ranges::lower_bound(cells_, x - reach, {}, &Cell::middle);
    for (; cell != cells_.end() && cell->middle <= x + reach; ++cell) {
      add_cell(x, *cell, left, right);
    }
    const Sides found = sides(x, left, right);
    if (std::min(found.below, found.above) >= kFarTail) return found;
  }
  Tail left, right;
  add_points(x, 0, std::ssize(points_), left, right);
  return sides(x, left, right);
}

double LineDistribution::cdf(double x) const {
  const Sides found = at(x);
  return found.below < found.above ? found.below : 1 - found.above;
}

double LineDistribution::quantile(double p) const {
  CRATON_ASSERT(p > 0 && p < 1);
  const double widest = scales_.empty() ? h_ : h_ * *std::ranges::max_element(scales_);
  const double reach = widest * (given_ != nullptr                       ? 0x1p30
                                 : is_compact(kernel_)                   ? 1
                                 : kernel_ == SmoothingKernel::kGaussian ? 40
                                                                         : 760);  // F is 0 or 1
  double low = std::max(points_.front() - reach, support_.low);
  double high = std::min(points_.back() + reach, support_.high);
  // Where the weight of the points alone is p is a good place to start.
  const auto start = std::ranges::lower_bound(up_to_, p * up_to_.back()) - up_to_.begin();
  double x = points_[std::min(usize(start), points_.size() - 1)], before = INFINITY;
  for (;;) {
    const Sides found = at(x);
    (found.below < p ? low : high) = x;
    const double gap =
        p < 0.5 ? -std::log(found.below / p) : std::log(found.above / (1 - p));  // of log F
    if (std::abs(gap) <= kNear) return x;
    double step = gap * (p < 0.5 ? found.below : found.above) / found.slope * h_;
    if (!(std::abs(step) <= before / 2 && low < x + step && x + step < high)) {
      const double middle = low + (high - low) / 2;
      if (!(low < middle && middle < high)) return high;
      step = middle - x;
    }
    before = std::abs(step);
    if (x + step == x) return x;
    x += step;
  }
}

}  // namespace craton
