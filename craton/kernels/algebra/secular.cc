#include "craton/kernels/algebra/secular.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/secular.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

// A step towards a root is n divisions, and four or so are enough.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

// sum_i w_i / (p_i - x) and its derivative by x = origin + shift.
struct PoleSums {
  double value, slope;
};
HWY_INLINE PoleSums pole_sums(const double* p, const double* w, Index n, double origin,
                              double shift) {
  const Vector o = hn::Set(kTag, origin), s = hn::Set(kTag, shift), one = hn::Set(kTag, 1.0);
  Vector value = hn::Zero(kTag), slope = value;
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector inverse = hn::Div(one, hn::Sub(hn::Sub(load(p + i), o), s));
    const Vector term = hn::Mul(load(w + i), inverse);
    value = hn::Add(value, term);
    slope = hn::MulAdd(term, inverse, slope);
  }
  PoleSums sums{total(value), total(slope)};
  for (; i < n; ++i) {
    const double inverse = 1 / ((p[i] - origin) - shift), term = w[i] * inverse;
    sums.value += term;
    sums.slope += term * inverse;
  }
  return sums;
}

// A root y of c y^2 - a y + b: of the two that c + s / (p - y) + t / (q - y) = 0 has, for s, t > 0,
// the one between p and q, or the one beyond both.
HWY_INLINE double quadratic_root(double c, double a, double b, bool between) {
  const double root = std::sqrt(std::max(0.0, a * a - 4 * b * c));
  if (between) return a > 0 ? 2 * b / (a + root) : (a - root) / (2 * c);
  return a < 0 ? 2 * b / (a - root) : (a + root) / (2 * c);
}

// Root j of 1 + sum_i w_i / (p_i - x), w > 0, which increases between any two of the ascending
// poles p. It lies above pole j, and below the next. The sums of the poles on its two sides are
// replaced by one pole each, with the same value and slope; steps that leave the interval known to
// hold the root halve it.
HWY_INLINE SecularRoot secular_root(const double* p, const double* w, Index n, Index j) {
  if (n == 1) return {p[0], w[0]};
  const bool between = j + 1 < n;
  const Index a = std::min(j, n - 2), b = a + 1;
  const double gap = p[b] - p[a];
  const double all = between ? gap : std::accumulate(w, w + n, 0.0);

  double origin = p[j], low = 0, high = all, shift = all / 2;
  PoleSums left{}, right{};
  const auto evaluate = [&]() HWY_ATTR {
    left = pole_sums(p, w, b, origin, shift);
    right = pole_sums(p + b, w + b, n - b, origin, shift);
    return 1 + left.value + right.value;
  };
  double f = evaluate();
  const auto from = [&](Index i) { return (p[i] - origin) - shift; };
  const double others = f - w[a] / from(a) - w[b] / from(b);
  if (f >= 0) {
    high = shift;
  } else if (between) {
    origin = p[b], low = -shift, high = 0;
  } else {
    low = shift;
  }
  const double to_a = p[a] - origin, to_b = p[b] - origin;  // one of them is 0
  shift = quadratic_root(others, others * (to_a + to_b) + w[a] + w[b], w[a] * to_b + w[b] * to_a,
                         between);

  constexpr int kFewSteps = 30, kManySteps = 300;
  constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
  const double tolerance = (8 + static_cast<double>(n) / 64) * kUnit;  // errors of the sums
  for (int steps = 0; steps < kManySteps; ++steps) {
    if (!(low < shift && shift < high) || steps > kFewSteps) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) break;
      shift = middle;
    }
    f = evaluate();
    if (std::abs(f) <= tolerance * (1 + std::abs(left.value) + std::abs(right.value))) break;
    (f < 0 ? low : high) = shift;
    const double da = from(a), db = from(b);
    const double step =
        quadratic_root(f - da * left.slope - db * right.slope,
                       (da + db) * f - da * db * (left.slope + right.slope), da * db * f, between);
    if (shift + step == shift) break;
    shift += step;
  }
  return {origin, shift};
}

void find_roots(const double* p, const double* w, Index n, SecularRoot* roots) {
  for (Index j = 0; j < n; ++j) roots[j] = secular_root(p, w, n, j);
}

// |z_i| up to a common factor, of which the roots are exact: z_i^2 ~ prod_j (x_j - p_i) over
// prod_j!=i (p_j - p_i), where a factor of one is divided by that of the other.
void find_weights(const double* p, const SecularRoot* roots, Index n, double* z) {
  std::fill_n(z, n, 1.0);
  for (Index j = 0; j < n; ++j) {
    const SecularRoot r = roots[j];
    const Vector pole = hn::Set(kTag, p[j]);
    const Vector o = hn::Set(kTag, r.origin), s = hn::Set(kTag, r.shift);
    const auto multiply = [&](Index i, Index end) HWY_ATTR {
      for (; i + kLanes <= end; i += kLanes) {
        const Vector at = load(p + i);
        const Vector ratio = hn::Div(hn::Sub(hn::Sub(at, o), s), hn::Sub(at, pole));
        hn::StoreU(hn::Mul(load(z + i), ratio), kTag, z + i);
      }
      for (; i < end; ++i) z[i] *= ((p[i] - r.origin) - r.shift) / (p[i] - p[j]);
    };
    multiply(0, j);
    multiply(j + 1, n);
    z[j] *= (p[j] - r.origin) - r.shift;
  }
  for (Index i = 0; i < n; ++i) z[i] = std::sqrt(std::abs(z[i]));
}

// The vectors of some roots, by rows: z_i / (p_i - x), of length 1. p and z may be in any order.
void find_vectors(const double* p, const double* z, Index n, const SecularRoot* roots, Index count,
                  double* out) {
  for (Index j = 0; j < count; ++j, out += n) {
    const SecularRoot r = roots[j];
    const Vector o = hn::Set(kTag, r.origin), s = hn::Set(kTag, r.shift);
    Index i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Vector distance = hn::Sub(hn::Sub(load(p + i), o), s);
      hn::StoreU(hn::Div(load(z + i), distance), kTag, out + i);
    }
    for (; i < n; ++i) out[i] = z[i] / ((p[i] - r.origin) - r.shift);
    scale(1 / std::sqrt(dot(out, out, n)), out, n);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(find_roots);
HWY_EXPORT(find_weights);
HWY_EXPORT(find_vectors);

void secular_roots(const double* p, const double* w, Index n, SecularRoot* roots) {
  HWY_DYNAMIC_DISPATCH(find_roots)(p, w, n, roots);
}
void secular_weights(const double* p, const SecularRoot* roots, Index n, double* z) {
  HWY_DYNAMIC_DISPATCH(find_weights)(p, roots, n, z);
}
void secular_vectors(const double* p, const double* z, Index n, const SecularRoot* roots,
                     Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(find_vectors)(p, z, n, roots, count, out);
}

}  // namespace craton
#endif
