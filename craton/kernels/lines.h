// Contiguous doubles in vectors: sums of products and the like, for the linear algebra beside it.
// It is compiled once for each target of the file that includes it. The order of a sum depends on
// its length alone.
#include <hwy/highway.h>

#include "craton/base/matrix.h"

#if defined(CRATON_LINES) == defined(HWY_TARGET_TOGGLE)
#ifdef CRATON_LINES
#undef CRATON_LINES
#else
#define CRATON_LINES
#endif

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(kTag));

HWY_INLINE Vector load(const double* at) { return hn::LoadU(kTag, at); }
HWY_INLINE double total(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }

// sum_i x_i y_i
HWY_INLINE double dot(const double* x, const double* y, Index n) {
  Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0;
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    s0 = hn::MulAdd(load(x + i), load(y + i), s0);
    s1 = hn::MulAdd(load(x + i + kLanes), load(y + i + kLanes), s1);
    s2 = hn::MulAdd(load(x + i + 2 * kLanes), load(y + i + 2 * kLanes), s2);
    s3 = hn::MulAdd(load(x + i + 3 * kLanes), load(y + i + 3 * kLanes), s3);
  }
  for (; i + kLanes <= n; i += kLanes) s0 = hn::MulAdd(load(x + i), load(y + i), s0);
  double sum = total(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// y += a x
HWY_INLINE void add_scaled(double a, const double* HWY_RESTRICT x, double* HWY_RESTRICT y,
                           Index n) {
  const Vector f = hn::Set(kTag, a);
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const Vector y0 = hn::MulAdd(f, load(x + i), load(y + i));
    const Vector y1 = hn::MulAdd(f, load(x + i + kLanes), load(y + i + kLanes));
    hn::StoreU(y0, kTag, y + i);
    hn::StoreU(y1, kTag, y + i + kLanes);
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
