#include "craton/kernels/algebra/symmetric.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "craton/kernels/algebra/products.h"
#include "craton/kernels/algebra/tridiagonal.h"
#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/symmetric.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

constexpr Index kReflections = 32, kTogether = 64;  // of a block, as they are made and multiplied

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

// z' Q', of rows z' and the reflections: the last block first.
void apply_reflections(const double* v, const double* tau, Index d, double* rows) {
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
    double* const z = rows + begin;
    row_products(z, d, d, vs, count, d, left, w, kTogether);                   // z'V
    row_products(w, d, kTogether, t, count, kTogether, count, tw, kTogether);  // T'
    multiply(Product<double>{.a = by_rows<double>(tw, kTogether),
                             .b = transposed(vs, d),
                             .rows = d,
                             .columns = left,
                             .depth = count,
                             .into = Into::kSubtract},
             z, d);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(make_tridiagonal);
HWY_EXPORT(apply_reflections);

bool symmetric_eigen(const double* a, Index d, double* values, double* vectors) {
  double largest = 0;
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, std::abs(a[i * d + j]));
  }
  // Squares do not over- or underflow; a power of two changes no digit.
  const int exponent = largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
  const double scale = std::ldexp(1.0, -exponent);
  std::vector<double> work(usize(d * d)), tau(usize(d)), beside(usize(d));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) work[usize(i * d + j)] = scale * a[i * d + j];
  }
  HWY_DYNAMIC_DISPATCH(make_tridiagonal)
  (work.data(), d, values, beside.data(), vectors, tau.data());
  std::vector<Index> order(usize(d));
  std::vector<double>& rows = work;
  if (!tridiagonal_eigen(values, beside.data(), d, rows.data(), order.data())) return false;
  HWY_DYNAMIC_DISPATCH(apply_reflections)(vectors, tau.data(), d, rows.data());

  std::vector<double> sorted;
  for (const Index i : order) sorted.push_back(values[i] / scale);
  std::copy(sorted.begin(), sorted.end(), values);
  constexpr Index kTile = 8;  // rows become columns, a few at a time
  for (Index first = 0; first < d; first += kTile) {
    for (Index i = 0; i < d; ++i) {
      for (Index j = first; j < std::min(first + kTile, d); ++j) {
        vectors[i * d + j] = rows[usize(order[usize(j)] * d + i)];
      }
    }
  }
  return true;
}

}  // namespace craton
#endif
