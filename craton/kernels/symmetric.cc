#include "craton/kernels/symmetric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "craton/kernels/products.h"
#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/symmetric.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

constexpr Index kReflections = 32, kTogether = 64;  // of a block, as they are made and multiplied
constexpr Index kStrip = 4 * kLanes;

// y = A x, of the lower triangle of A: what row i says of y_i and, as a column, of the y before.
HWY_INLINE void symmetric_times(const double* a, Index stride, Index n,
                                const double* HWY_RESTRICT x, double* HWY_RESTRICT y) {
  std::fill_n(y, n, 0.0);
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    const double *r0 = a + i * stride, *r1 = r0 + stride, *r2 = r1 + stride, *r3 = r2 + stride;
    const Vector x0 = hn::Set(kTag, x[i]), x1 = hn::Set(kTag, x[i + 1]);
    const Vector x2 = hn::Set(kTag, x[i + 2]), x3 = hn::Set(kTag, x[i + 3]);
    Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0;
    Index j = 0;
    for (; j + kLanes <= i; j += kLanes) {
      const Vector a0 = load(r0 + j), a1 = load(r1 + j), a2 = load(r2 + j), a3 = load(r3 + j);
      const Vector xj = load(x + j);
      const Vector even = hn::MulAdd(a2, x2, hn::MulAdd(a0, x0, load(y + j)));
      const Vector odd = hn::MulAdd(a3, x3, hn::Mul(a1, x1));
      s0 = hn::MulAdd(a0, xj, s0), s1 = hn::MulAdd(a1, xj, s1);
      s2 = hn::MulAdd(a2, xj, s2), s3 = hn::MulAdd(a3, xj, s3);
      hn::StoreU(hn::Add(even, odd), kTag, y + j);
    }
    double sums[4] = {total(s0), total(s1), total(s2), total(s3)};
    for (Index l = 0; l < 4; ++l) {
      const double* const row = a + (i + l) * stride;
      for (Index q = j; q < i + l; ++q) {
        sums[l] += row[q] * x[q];
        y[q] += row[q] * x[i + l];
      }
      y[i + l] += sums[l] + row[i + l] * x[i + l];
    }
  }
  for (; i < n; ++i) {
    const double* const row = a + i * stride;
    y[i] += dot(row, x, i) + row[i] * x[i];
    add_scaled(x[i], row, y, i);
  }
}

// Q T Q' of the lower triangle of `a`, which is lost. Reflection j is I - tau_j v_j v_j', v_j row j
// of `v`: zeros as far as j, then a 1.
void make_tridiagonal(double* a, Index d, double* diagonal, double* beside, double* v,
                      double* tau) {
  Scratch memory(usize(5 * kReflections * d));
  double* const w = memory.data();                     // the block's w_j by rows, like v_j
  double* const both = w + kReflections * d;           // V and W
  double* const turned = both + 2 * kReflections * d;  // W and V
  for (Index first = 0; first < d; first += kReflections) {
    const Index count = std::min(kReflections, d - first);
    for (Index p = 0; p < count; ++p) {
      const Index j = first + p, next = j + 1, left = d - next;
      double* const vj = v + j * d;
      // Column j, brought up to date: A -= V W' + W V'.
      std::fill_n(vj, j, 0.0);
      for (Index i = j; i < d; ++i) vj[i] = a[i * d + j];
      for (Index q = 0; q < p; ++q) {
        const double* const vq = v + (first + q) * d;
        add_scaled(-w[q * d + j], vq + j, vj + j, d - j);
        add_scaled(-vq[j], w + q * d + j, vj + j, d - j);
      }
      diagonal[j] = vj[j];
      vj[j] = 0;
      if (left == 0) break;
      const double length = std::sqrt(dot(vj + next, vj + next, left)), alpha = vj[next];
      const double rest = left > 1 ? dot(vj + next + 1, vj + next + 1, left - 1) : 0;
      const double beta = rest == 0 ? alpha : -std::copysign(length, alpha);
      tau[j] = rest == 0 ? 0 : (beta - alpha) / beta;
      beside[j] = beta;
      if (rest != 0) {
        for (Index i = next + 1; i < d; ++i) vj[i] /= alpha - beta;
      }
      vj[next] = 1;
      // w = tau (A v - V (W'v) - W (V'v)), less its part along v.
      double* const wj = w + p * d;
      std::fill_n(wj, next, 0.0);
      if (tau[j] == 0) {
        std::fill_n(wj + next, left, 0.0);
        continue;
      }
      symmetric_times(a + next * (d + 1), d, left, vj + next, wj + next);
      for (Index q = 0; q < p; ++q) {
        const double* const vq = v + (first + q) * d;
        const double along_w = dot(w + q * d + next, vj + next, left);
        const double along_v = dot(vq + next, vj + next, left);
        add_scaled(-along_w, vq + next, wj + next, left);
        add_scaled(-along_v, w + q * d + next, wj + next, left);
      }
      for (Index i = next; i < d; ++i) wj[i] *= tau[j];
      add_scaled(-0.5 * tau[j] * dot(wj + next, vj + next, left), vj + next, wj + next, left);
    }
    const Index next = first + count, left = d - next;
    for (Index p = 0; p < count; ++p) {
      const double *const vp = v + (first + p) * d + next, *const wp = w + p * d + next;
      std::copy_n(vp, left, both + p * left);
      std::copy_n(wp, left, both + (count + p) * left);
      std::copy_n(wp, left, turned + p * left);
      std::copy_n(vp, left, turned + (count + p) * left);
    }
    multiply(Product<double>{.a = transposed<double>(both, left),
                             .b = transposed<double>(turned, left),
                             .rows = left,
                             .columns = left,
                             .depth = 2 * count,
                             .into = Into::kSubtract,
                             .part = Part::kLower},
             a + next * (d + 1), d);
  }
}

// Q' by rows, of the reflections: the last block first, on what it has made other than the
// identity.
void multiply_reflections(const double* v, const double* tau, Index d, double* out) {
  std::fill_n(out, d * d, 0.0);
  for (Index i = 0; i < d; ++i) out[i * (d + 1)] = 1;
  Scratch memory(usize(2 * kTogether * d));
  double products[kTogether * kTogether], t[kTogether * kTogether];
  for (Index first = (d - 1) / kTogether * kTogether; first >= 0; first -= kTogether) {
    const Index count = std::min(kTogether, d - 1 - first), begin = first + 1;
    if (count <= 0) continue;
    const Index left = d - begin;
    const double* const vs = v + first * d + begin;
    // I - V T V': T_j = -tau T (V'v_j) above its diagonal, tau on it.
    row_products(vs, count, d, vs, count, d, left, products, kTogether);
    for (Index j = 0; j < count; ++j) {
      for (Index i = 0; i < count; ++i) {
        double sum = 0;
        for (Index l = i; l < j; ++l) sum += t[i * kTogether + l] * products[l * kTogether + j];
        const double scale = tau[first + j];
        t[i * kTogether + j] = i < j ? -scale * sum : i == j ? scale : 0;
      }
    }
    double *const w = memory.data(), *const tw = w + kTogether * d;
    double* const q = out + begin * (d + 1);
    row_products(q, left, d, vs, count, d, left, w, kTogether);                   // Q'V
    row_products(w, left, kTogether, t, count, kTogether, count, tw, kTogether);  // T'
    multiply(Product<double>{.a = by_rows<double>(tw, kTogether),
                             .b = transposed(vs, d),
                             .rows = left,
                             .columns = left,
                             .depth = count,
                             .into = Into::kSubtract},
             q, d);
  }
}

// Rows u and v become c u + s v, which is given back, and c v - s u, in u.
HWY_INLINE Vector turn(Vector c, Vector s, Vector& u, Vector v) {
  const Vector first = hn::MulAdd(c, u, hn::Mul(s, v));
  u = hn::NegMulAdd(s, u, hn::Mul(c, v));
  return first;
}

// One sweep over a strip that begins with its first row, which stays in registers.
HWY_INLINE void rotate_strip(const PlaneRotation* sweep, Index count, double* at) {
  Vector u[4];
#pragma GCC unroll 4
  for (Index l = 0; l < 4; ++l) u[l] = hn::Load(kTag, at + l * kLanes);
  for (Index k = 0; k < count; ++k, at += kStrip) {
    const Vector c = hn::Set(kTag, sweep[k].c), s = hn::Set(kTag, sweep[k].s);
#pragma GCC unroll 4
    for (Index l = 0; l < 4; ++l) {
      const Vector v = hn::Load(kTag, at + kStrip + l * kLanes);
      hn::Store(turn(c, s, u[l], v), kTag, at + l * kLanes);
    }
  }
#pragma GCC unroll 4
  for (Index l = 0; l < 4; ++l) hn::Store(u[l], kTag, at + l * kLanes);
}

// All sweeps over a strip of d rows: each follows the one before at a distance of one row, in steps
// of kRowsAhead, so that the rows between the first and the last sweep stay in the first cache.
HWY_INLINE void rotate_wave(const PlaneRotation* rotations, const RotationSweep* sweeps,
                            Index count, double* strip, Index d) {
  constexpr Index kRowsAhead = 64;
  for (Index end = kRowsAhead, begin = 0; begin - count < d; begin = end, end += kRowsAhead) {
    for (Index s = 0; s < count; ++s) {  // rows [begin - s, end - s)
      const RotationSweep& sweep = sweeps[s];
      const Index from = std::max(begin - s, sweep.first);
      const Index to = std::min(end - s, sweep.first + sweep.count);
      if (from >= to) continue;
      rotate_strip(rotations + sweep.at + from - sweep.first, to - from, strip + from * kStrip);
    }
  }
}

void rotate_rows(const PlaneRotation* rotations, const RotationSweep* sweeps, Index count,
                 double* z, Index d) {
  Scratch memory(usize(d * kStrip));
  double* const strip = memory.data();
  std::fill_n(strip, d * kStrip, 0.0);
  for (Index first = 0; first < d; first += kStrip) {
    const Index here = std::min(kStrip, d - first);
    const auto copy = [&](const double* from, double* to) HWY_ATTR {
      if (here < kStrip) {
        for (Index j = 0; j < here; ++j) to[j] = from[j];
      } else {
        for (Index j = 0; j < kStrip; j += kLanes) hn::StoreU(load(from + j), kTag, to + j);
      }
    };
    for (Index i = 0; i < d; ++i) copy(z + i * d + first, strip + i * kStrip);
    rotate_wave(rotations, sweeps, count, strip, d);
    for (Index i = 0; i < d; ++i) copy(strip + i * kStrip, z + i * d + first);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(make_tridiagonal);
HWY_EXPORT(multiply_reflections);
HWY_EXPORT(rotate_rows);

namespace {

double length(double x, double z) {
  const double square = x * x + z * z;
  return square > 0x1p-900 ? std::sqrt(square) : std::hypot(x, z);
}

// An implicit QR step on rows [first, last] of a tridiagonal matrix. Appends its rotations.
void step(double* diagonal, double* beside, Index first, Index last,
          std::vector<PlaneRotation>& rotations) {
  const double e = beside[last - 1], half = (diagonal[last - 1] - diagonal[last]) / 2;
  const double shift = diagonal[last] - e * (e / (half + std::copysign(length(half, e), half)));
  double x = diagonal[first] - shift, z = beside[first];
  for (Index k = first; k < last; ++k) {
    const double r = length(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    rotations.push_back({c, s});
    if (k > first) beside[k - 1] = r;
    const double a = diagonal[k], b = beside[k], g = diagonal[k + 1];
    const double along = c * a + s * b, across = c * b + s * g;  // row k of the rotated rows
    diagonal[k] = c * along + s * across;
    const double low = c * b - s * a, high = c * g - s * b;  // row k + 1
    diagonal[k + 1] = c * high - s * low;
    beside[k] = c * across - s * along;
    if (k + 1 == last) break;
    x = beside[k];
    z = s * beside[k + 1];
    beside[k + 1] *= c;
  }
}

}  // namespace

bool symmetric_eigen(const double* a, Index d, double* values, double* vectors) {
  double largest = 0;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, std::abs(a[i * d + j]));
  }
  // Squares do not over- or underflow; a power of two changes no digit.
  const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
  const double scale = std::ldexp(1.0, -exponent);
  std::vector<double> work(usize(d * d)), tau(usize(d)), beside(usize(d));
  std::vector<double>& q = work;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) work[usize(i * d + j)] = scale * a[i * d + j];
  }
  HWY_DYNAMIC_DISPATCH(make_tridiagonal)
  (work.data(), d, values, beside.data(), vectors, tau.data());
  HWY_DYNAMIC_DISPATCH(multiply_reflections)(vectors, tau.data(), d, q.data());

  constexpr Index kStepsOfValue = 30, kSweeps = 256;
  const double epsilon = std::numeric_limits<double>::epsilon();
  std::vector<PlaneRotation> rotations;
  std::vector<RotationSweep> sweeps;
  const auto apply = [&] {
    HWY_DYNAMIC_DISPATCH(rotate_rows)
    (rotations.data(), sweeps.data(), std::ssize(sweeps), q.data(), d);
    rotations.clear();
    sweeps.clear();
  };
  Index steps = 0;
  for (Index last = d - 1; last > 0;) {
    const auto apart = [&](Index i) {
      return std::abs(beside[usize(i)]) <=
             epsilon * (std::abs(values[i]) + std::abs(values[i + 1]));
    };
    if (apart(last - 1)) {
      --last;
      continue;
    }
    Index first = last - 1;
    while (first > 0 && !apart(first - 1)) --first;
    if (++steps > kStepsOfValue * d) return false;
    sweeps.push_back({first, last - first, std::ssize(rotations)});
    step(values, beside.data(), first, last, rotations);
    if (std::ssize(sweeps) == kSweeps) apply();
  }
  apply();

  std::vector<Index> order(usize(d));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return values[i] < values[j]; });
  std::vector<double> sorted;
  for (const Index i : order) sorted.push_back(values[i] / scale);
  std::copy(sorted.begin(), sorted.end(), values);
  constexpr Index kTile = 8;  // rows of Z' become columns, a few at a time
  for (Index first = 0; first < d; first += kTile) {
    for (Index i = 0; i < d; ++i) {
      for (Index j = first; j < std::min(first + kTile, d); ++j) {
        vectors[i * d + j] = q[usize(order[usize(j)] * d + i)];
      }
    }
  }
  return true;
}

}  // namespace craton
#endif
