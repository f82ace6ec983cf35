#include "craton/kernels/smoothing/gaussian_moments.h"

#include <algorithm>

#include "craton/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/smoothing/gaussian_moments.cc"
// foreach_target comes before what it repeats.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 8, kOrder = kGaussianOrder, kTerms = kPaddedGaussianOrder;
using Tag = hn::CappedTag<double, kLanes>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag()), kVectors = kLanes / kWidth;

// Adds sum_i w_i z_i^b, z_i = (y_i - centre) / h, to moments[b], for whole blocks of points; what
// rounding takes from the sums of blocks is kept in rests[b].
void add_block_powers(const double* y, const double* w, std::size_t blocks, double centre, double h,
                      double* moments, double* rests) {
  for (std::size_t v = 0; v < kVectors; ++v) {
    Vector sums[kOrder];
    for (Vector& s : sums) s = hn::Zero(kTag);
    for (std::size_t i = v * kWidth; i < blocks * kLanes; i += kLanes) {
      const Vector z =
          hn::Div(hn::Sub(hn::LoadU(kTag, y + i), hn::Set(kTag, centre)), hn::Set(kTag, h));
      Vector term = w == nullptr ? hn::Set(kTag, 1) : hn::LoadU(kTag, w + i);
      sums[0] = hn::Add(sums[0], term);
#pragma GCC unroll 20
      for (std::size_t b = 1; b < kOrder; ++b) {
        term = hn::Mul(term, z);
        sums[b] = hn::Add(sums[b], term);
      }
    }
    for (std::size_t b = 0; b < kOrder; ++b) {
      double lanes[kWidth];
      hn::StoreU(sums[b], kTag, lanes);
      for (const double term : lanes) {
        const double sum = moments[b] + term, part = sum - moments[b];
        rests[b] += (moments[b] - (sum - part)) + (term - part);
        moments[b] = sum;
      }
    }
  }
}

// sums[a] += sum_b moments[b] g[a + b] for b < p; g has as many as that takes.
void add_series(const double* moments, const double* g, double* sums) {
  Vector to[kTerms / kWidth];
  for (std::size_t v = 0; v < kTerms / kWidth; ++v) to[v] = hn::LoadU(kTag, sums + v * kWidth);
  for (std::size_t b = 0; b < kOrder; ++b) {
    const Vector moment = hn::Set(kTag, moments[b]);
    for (std::size_t v = 0; v < kTerms / kWidth; ++v) {
      to[v] = hn::Add(to[v], hn::Mul(moment, hn::LoadU(kTag, g + b + v * kWidth)));
    }
  }
  for (std::size_t v = 0; v < kTerms / kWidth; ++v) hn::StoreU(to[v], kTag, sums + v * kWidth);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_block_powers);
HWY_EXPORT(add_series);

GaussianMoments gaussian_moments(std::span<const double> y, std::span<const double> w,
                                 double centre, double h) {
  constexpr std::size_t kLanes = 8, kTogether = kGaussianRun * kLanes;
  GaussianMoments moments{}, rests{};
  for (std::size_t first = 0; first < y.size(); first += kTogether) {
    const std::size_t some = std::min(kTogether, y.size() - first), whole = some / kLanes;
    const double* const weights = w.empty() ? nullptr : w.data() + first;
    HWY_DYNAMIC_DISPATCH(add_block_powers)
    (y.data() + first, weights, whole, centre, h, moments.data(), rests.data());
    if (some % kLanes == 0) continue;
    std::array<double, kLanes> last, last_weights{};  // the others are nothing
    last.fill(centre);
    for (std::size_t i = whole * kLanes; i < some; ++i) {
      last[i - whole * kLanes] = y[first + i];
      last_weights[i - whole * kLanes] = w.empty() ? 1 : w[first + i];
    }
    HWY_DYNAMIC_DISPATCH(add_block_powers)
    (last.data(), last_weights.data(), 1, centre, h, moments.data(), rests.data());
  }
  double factorial = 1;
  for (std::size_t b = 0; b < kGaussianOrder; ++b) {
    if (b > 0) factorial *= static_cast<double>(b);
    moments[b] = (moments[b] + rests[b]) / factorial;
  }
  return moments;
}

void add_translated(const GaussianMoments& moments, std::span<const double> g,
                    std::array<double, kPaddedGaussianOrder>& sums) {
  CRATON_ASSERT(g.size() >= kGaussianOrder + kPaddedGaussianOrder);
  HWY_DYNAMIC_DISPATCH(add_series)(moments.data(), g.data(), sums.data());
}

}  // namespace craton
#endif
