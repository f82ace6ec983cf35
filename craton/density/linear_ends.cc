#include "craton/density/linear_ends.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "craton/base/error.h"
#include "craton/density/adaptive_sums.h"
#include "craton/density/line_distribution.h"
#include "craton/engine/for_each.h"
#include "craton/kernels/special.h"

// Two sums of kernels where there is an end near by, one elsewhere; some ten thousand of them for
// M.

namespace craton {
namespace {

constexpr double kReach = 9;         // of a gaussian: phi(9) = 1e-18
constexpr double kFarAway = 1e6;     // bandwidths: beyond, no density is told
constexpr double kRounding = 1e-14;  // of moments and what is made of them
constexpr double kMassTolerance = 1e-10;
constexpr std::size_t kMostKinks = 2048;  // of kernels that end, on either side
constexpr double kPiece = 0.25;           // bandwidths, at most

double bell(double u) { return std::exp(-u * u / 2 - kHalfLogTwoPi); }

}  // namespace

LinearEnds::Sides LinearEnds::Zone::sides(double x) const {
  const auto after = std::ranges::upper_bound(pieces, x, {}, &LegendrePiece::low);
  const auto i = usize(std::max<Index>(after - pieces.begin() - 1, 0));
  const LegendrePiece& piece = pieces[i];
  x = std::clamp(x, piece.low(), piece.high());
  return {below[i] + piece.share(piece.low(), x), above[i] + piece.share(x, piece.high()),
          piece.at(x)};
}

LinearEnds::LinearEnds(SmoothingKernel kernel, double h, const Points& points,
                       const ColumnSupport& support, const KernelSums& plain, const Exec& exec)
    : kernel_(kernel),
      h_(h),
      reach_(is_compact(kernel) ? 1 : kReach),
      log_unit_(-log_volume(kernel, 1) - std::log(h) - std::log(plain.weight())),
      support_(support) {
  CRATON_ASSERT(points.columns == 1 && takes(kernel));
  const auto sums_of = [&](auto distance) {
    Points some{1, {}, {}};
    for (Index i = 0; i < points.size(); ++i) {
      const double far = distance(points.rows[usize(i)]);
      const double weight = points.weights[usize(i)] * std::min(far, 2 * kFarAway);
      if (!(weight > 0)) continue;
      if (is_compact(kernel) && far > 2.5) continue;
      some.rows.push_back(points.rows[usize(i)]);
      some.weights.push_back(weight);
    }
    std::optional<KernelSums> sums;
    const double bandwidth[] = {h};
    if (some.size() > 0) sums.emplace(kernel, bandwidth, some.view(), some.weights.given());
    return sums;
  };
  const bool has_low = std::isfinite(support.low), has_high = std::isfinite(support.high);
  if (has_low) low_sums_ = sums_of([&](double y) { return from_low(y); });
  if (has_high) high_sums_ = sums_of([&](double y) { return from_high(y); });
  inner_low_ = support.low + reach_ * h;
  inner_high_ = support.high - reach_ * h;
  if (!(inner_low_ < inner_high_)) inner_low_ = inner_high_ = support.high;  // one zone is all
  if (has_low) low_ = zone(support.low, inner_low_, points, plain, exec);
  if (has_high) high_ = zone(inner_high_, support.high, points, plain, exec);
  const double inner = inner_low_ < inner_high_
                           ? LineDistribution(kernel, h, points).share(inner_low_, inner_high_)
                           : 0;
  mass_ = low_.share + inner + high_.share;
}

// Between rows, and what lies a bandwidth beside them, kernels that end are smooth.
LinearEnds::Zone LinearEnds::zone(double low, double high, const Points& points,
                                  const KernelSums& plain, const Exec& exec) const {
  Zone zone;
  if (!(low < high)) return zone;
  std::vector<double> ends;
  if (is_compact(kernel_)) {
    for (const double y : points.rows) {
      for (const double end : {y - h_, y, y + h_}) {
        if (low < end && end < high) ends.push_back(end);
      }
    }
    std::ranges::sort(ends);
    if (ends.size() > kMostKinks) {
      const std::size_t step = ends.size() / kMostKinks + 1;
      for (std::size_t i = 0; i * step < ends.size(); ++i) ends[i] = ends[i * step];
      ends.resize((ends.size() + step - 1) / step);
    }
  }
  const double width = kPiece * h_, count = std::ceil((high - low) / width);
  for (double i = 0; i <= count; ++i) ends.push_back(i < count ? low + i * width : high);
  for (const double end : {support_.low + reach_ * h_, support_.high - reach_ * h_}) {
    if (low < end && end < high) ends.push_back(end);  // where kernels begin to reach it
  }
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (std::size_t i = 1; i < ends.size(); ++i) zone.pieces.emplace_back(ends[i - 1], ends[i]);
  for_each(std::ssize(zone.pieces), exec, [&](Index number) {
    LegendrePiece& piece = zone.pieces[usize(number)];
    LegendrePiece::Values values = piece.nodes();
    for (double& v : values) v = std::exp(sum(plain, v, kMassTolerance).log_sum + log_unit_);
    piece.set(values);
  });
  for (const LegendrePiece& piece : zone.pieces) {
    zone.below.push_back(zone.share);
    zone.share += piece.whole();
  }
  zone.above.resize(zone.pieces.size());
  for (std::size_t i = zone.pieces.size(); i-- > 1;) {
    zone.above[i - 1] = zone.above[i] + zone.pieces[i].whole();
  }
  return zone;
}

bool LinearEnds::plain_at(double x) const {
  return from_low(x) >= reach_ && from_high(x) >= reach_;
}

// The integral of u^order k(u) from 0 to `end`.
double LinearEnds::part_of_moment(int order, double end) const {
  if (kernel_ == SmoothingKernel::kGaussian) {
    if (order == 1) return bell(0) - bell(end);
    const double share = std::erf(end / std::numbers::sqrt2) / 2;
    return order == 0 ? share : share - (end < 2 * kReach ? end * bell(end) : 0);
  }
  const double to = std::min(end, 1.0), log_volume = craton::log_volume(kernel_, 1);
  return integral_to(to, [&](double u) {
    return std::exp(log_profile(kernel_, u) - log_volume) * std::pow(u, order);
  });
}

LinearEnds::Moments LinearEnds::moments(double x) const {
  const double s = from_low(x), t = from_high(x);
  return {part_of_moment(0, s) + part_of_moment(0, t), part_of_moment(1, s) - part_of_moment(1, t),
          part_of_moment(2, s) + part_of_moment(2, t)};
}

KernelSum LinearEnds::distances(double x, double rtol) const {
  const std::optional<KernelSums>& sums = from_low(x) <= from_high(x) ? low_sums_ : high_sums_;
  return sums ? sums->at(&x, rtol) : KernelSum{kNever, 0};
}

double LinearEnds::mean(const KernelSums& plain, double x) const {
  if (plain_at(x)) return 0;
  const double far =
      std::exp(distances(x, kMassTolerance).log_sum - plain.at(&x, kMassTolerance).log_sum);
  const double s = from_low(x), t = from_high(x);
  return s <= t ? s - far : far - t;
}

double LinearEnds::slope(double x) const {
  if (plain_at(x)) return 0;
  const Moments a = moments(x);
  return -a.a0 * a.a1 / a.determinant();
}

double LinearEnds::log_factor(double x, double mean) const {
  if (plain_at(x)) return -std::log(mass_);
  const Moments a = moments(x);
  const double ratio = a.a0 * (a.a2 - a.a1 * mean) / a.determinant();
  return ratio - 1 - std::log(a.a0) - std::log(mass_);
}

KernelSum LinearEnds::sum(const KernelSums& plain, double x, double rtol) const {
  constexpr double kLeast = 1e-13;
  if (plain_at(x)) {
    KernelSum found = plain.at(&x, rtol);
    found.log_sum -= std::log(mass_);
    return found;
  }
  const double s = from_low(x), t = from_high(x), slope = std::abs(this->slope(x));
  double tolerance = rtol / 8;
  for (int attempt = 0;; ++attempt) {
    const KernelSum found = plain.at(&x, tolerance), far = distances(x, tolerance);
    if (found.log_sum == kNever || !(found.error < INFINITY)) return found;
    const double distance = std::exp(far.log_sum - found.log_sum);
    if (!(distance <= kFarAway) || !(far.error < INFINITY)) return {kNever, INFINITY};
    const double mean = s <= t ? s - distance : distance - t, near = std::min(s, t);
    const double logs =
        far.log_sum == kNever ? 0 : 0x1p-52 * (std::abs(found.log_sum) + std::abs(far.log_sum));
    const double doubt =
        1.01 * distance * (found.error + far.error + logs) + 0x1p-50 * (near + distance);
    const double factor = log_factor(x, mean);
    const KernelSum sum{found.log_sum + factor,
                        (found.error + std::expm1(slope * doubt)) * 1.01 +
                            kRounding * (1 + std::abs(factor) + slope * (1 + std::abs(mean)))};
    if (sum.error <= rtol || tolerance <= kLeast || attempt == 2) return sum;
    tolerance = std::max(kLeast, tolerance * rtol / sum.error / 4);
  }
}

LinearEnds::Sides LinearEnds::sides(double x, FunctionRef<double(double, double)> plain,
                                    FunctionRef<double(double)> plain_slope) const {
  const auto inner = [&](double from, double to) { return from < to ? plain(from, to) : 0; };
  Sides found;
  if (!low_.pieces.empty() && x <= inner_low_) {
    found = low_.sides(x);
    found.above += inner(inner_low_, inner_high_) + high_.share;
    found.slope *= h_;
  } else if (!high_.pieces.empty() && x >= inner_high_) {
    found = high_.sides(x);
    found.below += low_.share + inner(inner_low_, inner_high_);
    found.slope *= h_;
  } else {
    found = {low_.share + inner(inner_low_, x), inner(x, inner_high_) + high_.share,
             plain_slope(x)};
  }
  return {found.below / mass_, found.above / mass_, found.slope / mass_};
}

}  // namespace craton
