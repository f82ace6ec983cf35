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
  Vector s = hn::Zero(kTag), t = s;
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    s = hn::MulAdd(load(x + i), load(y + i), s);
    t = hn::MulAdd(load(x + i + kLanes), load(y + i + kLanes), t);
  }
  double sum = total(hn::Add(s, t));
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

// x *= a
HWY_INLINE void scale(double a, double* x, Index n) {
  const Vector f = hn::Set(kTag, a);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(hn::Mul(f, load(x + i)), kTag, x + i);
  for (; i < n; ++i) x[i] *= a;
}

// out[l] = sum_i x_i y_li, of the four lines y_l that lie `apart`: the bits of dot.
HWY_INLINE void dot_four(const double* x, const double* y, Index apart, Index n, double* out) {
  const double *const y1 = y + apart, *const y2 = y1 + apart, *const y3 = y2 + apart;
  Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  Index i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    const Vector u = load(x + i), v = load(x + i + kLanes);
    s0 = hn::MulAdd(u, load(y + i), s0), t0 = hn::MulAdd(v, load(y + i + kLanes), t0);
    s1 = hn::MulAdd(u, load(y1 + i), s1), t1 = hn::MulAdd(v, load(y1 + i + kLanes), t1);
    s2 = hn::MulAdd(u, load(y2 + i), s2), t2 = hn::MulAdd(v, load(y2 + i + kLanes), t2);
    s3 = hn::MulAdd(u, load(y3 + i), s3), t3 = hn::MulAdd(v, load(y3 + i + kLanes), t3);
  }
  out[0] = total(hn::Add(s0, t0)), out[1] = total(hn::Add(s1, t1));
  out[2] = total(hn::Add(s2, t2)), out[3] = total(hn::Add(s3, t3));
  for (; i < n; ++i) {
    out[0] += x[i] * y[i], out[1] += x[i] * y1[i];
    out[2] += x[i] * y2[i], out[3] += x[i] * y3[i];
  }
}

// y_l -= a_l x, likewise.
HWY_INLINE void subtract_four(const double* a, const double* HWY_RESTRICT x, double* HWY_RESTRICT y,
                              Index apart, Index n) {
  double *const y1 = y + apart, *const y2 = y1 + apart, *const y3 = y2 + apart;
  const Vector a0 = hn::Set(kTag, a[0]), a1 = hn::Set(kTag, a[1]);
  const Vector a2 = hn::Set(kTag, a[2]), a3 = hn::Set(kTag, a[3]);
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector u = load(x + i);
    hn::StoreU(hn::NegMulAdd(a0, u, load(y + i)), kTag, y + i);
    hn::StoreU(hn::NegMulAdd(a1, u, load(y1 + i)), kTag, y1 + i);
    hn::StoreU(hn::NegMulAdd(a2, u, load(y2 + i)), kTag, y2 + i);
    hn::StoreU(hn::NegMulAdd(a3, u, load(y3 + i)), kTag, y3 + i);
  }
  for (; i < n; ++i) {
    y[i] -= a[0] * x[i], y1[i] -= a[1] * x[i];
    y2[i] -= a[2] * x[i], y3[i] -= a[3] * x[i];
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
