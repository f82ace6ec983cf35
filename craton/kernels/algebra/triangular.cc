#include "craton/kernels/algebra/triangular.h"

#include <algorithm>
#include <cmath>

#include "craton/kernels/algebra/products.h"
#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/triangular.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

// A triangle is cut into two and a rectangle, [L11 0; L21 L22], down to kSmall rows. How it is cut
// depends on its size alone.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

constexpr Index kSmall = 32;

HWY_INLINE Index first_half(Index n) { return (n / 2 + kSmall - 1) / kSmall * kSmall; }

// Right-hand sides side by side, `kStrip` of them: entry (i, j) at strip[i * kStrip + j].
constexpr Index kStrip = 4 * kLanes;

// x_i = (b_i - sum_{q < i} l_iq x_q) / l_ii, with l_iq at l[i * row + q * column].
HWY_INLINE void solve_strip(const double* l, Index row, Index column, Index n, double* strip) {
  for (Index i = 0; i < n; ++i) {
    double* const at = strip + i * kStrip;
    Vector x0 = load(at), x1 = load(at + kLanes);
    Vector x2 = load(at + 2 * kLanes), x3 = load(at + 3 * kLanes);
    for (Index q = 0; q < i; ++q) {
      const double* const known = strip + q * kStrip;
      const Vector f = hn::Set(kTag, l[i * row + q * column]);
      x0 = hn::NegMulAdd(f, load(known), x0);
      x1 = hn::NegMulAdd(f, load(known + kLanes), x1);
      x2 = hn::NegMulAdd(f, load(known + 2 * kLanes), x2);
      x3 = hn::NegMulAdd(f, load(known + 3 * kLanes), x3);
    }
    const Vector pivot = hn::Set(kTag, l[i * row + i * column]);
    hn::StoreU(hn::Div(x0, pivot), kTag, at);
    hn::StoreU(hn::Div(x1, pivot), kTag, at + kLanes);
    hn::StoreU(hn::Div(x2, pivot), kTag, at + 2 * kLanes);
    hn::StoreU(hn::Div(x3, pivot), kTag, at + 3 * kLanes);
  }
}

// As above, for `count` right-hand sides: entry i of number j at b[i * step + j * next].
HWY_INLINE void solve_small(const double* l, Index row, Index column, Index n, double* b,
                            Index step, Index next, Index count) {
  HWY_ALIGN double strip[kSmall * kStrip];
  for (Index first = 0; first < count; first += kStrip) {
    const Index here = std::min(kStrip, count - first);
    double* const at = b + first * next;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < here; ++j) strip[i * kStrip + j] = at[i * step + j * next];
      for (Index j = here; j < kStrip; ++j) strip[i * kStrip + j] = 0;
    }
    solve_strip(l, row, column, n, strip);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < here; ++j) at[i * step + j * next] = strip[i * kStrip + j];
    }
  }
}

void solve_left(const double* l, Index stride, Index n, double* b, Index b_stride, Index columns) {
  if (n <= kSmall) return solve_small(l, stride, 1, n, b, b_stride, 1, columns);
  const Index half = first_half(n);
  double* const rest = b + half * b_stride;
  solve_left(l, stride, half, b, b_stride, columns);
  multiply(Product<double>{.a = by_rows(l + half * stride, stride),
                           .b = transposed<double>(b, b_stride),
                           .rows = n - half,
                           .columns = columns,
                           .depth = half,
                           .into = Into::kSubtract},
           rest, b_stride);
  solve_left(l + half * (stride + 1), stride, n - half, rest, b_stride, columns);
}

// The last row first: L' is lower triangular when rows and columns are counted from the end.
void solve_left_transposed(const double* l, Index stride, Index n, double* b, Index b_stride,
                           Index columns) {
  if (n <= kSmall) {
    const double* const corner = l + (n - 1) * (stride + 1);
    return solve_small(corner, -1, -stride, n, b + (n - 1) * b_stride, -b_stride, 1, columns);
  }
  const Index half = first_half(n);
  const double* const rest = b + half * b_stride;
  solve_left_transposed(l + half * (stride + 1), stride, n - half, b + half * b_stride, b_stride,
                        columns);
  multiply(Product<double>{.a = transposed(l + half * stride, stride),
                           .b = transposed(rest, b_stride),
                           .rows = half,
                           .columns = columns,
                           .depth = n - half,
                           .into = Into::kSubtract},
           b, b_stride);
  solve_left_transposed(l, stride, half, b, b_stride, columns);
}

void solve_right_transposed(const double* l, Index stride, Index n, double* b, Index b_stride,
                            Index rows) {
  if (n <= kSmall) return solve_small(l, stride, 1, n, b, 1, b_stride, rows);
  const Index half = first_half(n);
  solve_right_transposed(l, stride, half, b, b_stride, rows);
  multiply(Product<double>{.a = by_rows<double>(b, b_stride),
                           .b = by_rows(l + half * stride, stride),
                           .rows = rows,
                           .columns = n - half,
                           .depth = half,
                           .into = Into::kSubtract},
           b + half, b_stride);
  solve_right_transposed(l + half * (stride + 1), stride, n - half, b + half, b_stride, rows);
}

// Row j of `upper` becomes column j of L.
HWY_INLINE bool factor_small(double* a, Index stride, Index n) {
  HWY_ALIGN double upper[kSmall * kSmall] = {};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) upper[j * kSmall + i] = a[i * stride + j];
  }
  for (Index j = 0; j < n; ++j) {
    double* const row = upper + j * kSmall;
    const double pivot = std::sqrt(row[j]);
    if (!(pivot > 0)) return false;  // what is infinite shows at the end
    for (Index i = j; i < n; ++i) row[i] /= pivot;
    for (Index k = j + 1; k < n; ++k) {
      const Vector f = hn::Set(kTag, row[k]);
      double* const to = upper + k * kSmall;
      for (Index i = k / kLanes * kLanes; i < n; i += kLanes) {
        hn::Store(hn::NegMulAdd(f, hn::Load(kTag, row + i), hn::Load(kTag, to + i)), kTag, to + i);
      }
    }
  }
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) a[i * stride + j] = upper[j * kSmall + i];
  }
  return true;
}

bool factor_lower(double* a, Index stride, Index n) {
  if (n <= kSmall) return factor_small(a, stride, n);
  const Index half = first_half(n);
  double *const below = a + half * stride, *const rest = below + half;
  if (!factor_lower(a, stride, half)) return false;
  solve_right_transposed(a, stride, half, below, stride, n - half);
  multiply(Product<double>{.a = by_rows<double>(below, stride),
                           .b = by_rows<double>(below, stride),
                           .rows = n - half,
                           .columns = n - half,
                           .depth = half,
                           .into = Into::kSubtract,
                           .part = Part::kLower},
           rest, stride);
  return factor_lower(rest, stride, n - half);
}

// [L11 0; L21 L22] has the inverse [M11 0; -M22 L21 M11, M22]. `work` has room for n^2 / 4 numbers
// and some more.
void invert_triangle(double* l, Index stride, Index n, double* work) {
  if (n <= kSmall) {
    std::fill_n(work, n * n, 0.0);
    for (Index i = 0; i < n; ++i) work[i * (n + 1)] = 1;
    solve_small(l, stride, 1, n, work, n, 1, n);
    for (Index i = 0; i < n; ++i) std::copy_n(work + i * n, i + 1, l + i * stride);
    return;
  }
  const Index half = first_half(n), other = n - half;
  double *const below = l + half * stride, *const rest = below + half;
  invert_triangle(l, stride, half, work);
  multiply(Product<double>{.a = by_rows<double>(below, stride),
                           .b = transposed<double>(l, stride),
                           .rows = other,
                           .columns = half,
                           .depth = half},
           work, half);
  solve_left(rest, stride, other, work, half, half);
  for (Index i = 0; i < other; ++i) {
    for (Index j = 0; j < half; ++j) below[i * stride + j] = -work[i * half + j];
  }
  invert_triangle(rest, stride, other, work);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(factor_lower);
HWY_EXPORT(solve_left);
HWY_EXPORT(solve_left_transposed);
HWY_EXPORT(solve_right_transposed);
HWY_EXPORT(invert_triangle);

bool factor_lower(double* a, Index stride, Index d) {
  return HWY_DYNAMIC_DISPATCH(factor_lower)(a, stride, d);
}
void solve_left(const double* lower, Index stride, Index d, double* b, Index b_stride,
                Index columns) {
  HWY_DYNAMIC_DISPATCH(solve_left)(lower, stride, d, b, b_stride, columns);
}
void solve_left_transposed(const double* lower, Index stride, Index d, double* b, Index b_stride,
                           Index columns) {
  HWY_DYNAMIC_DISPATCH(solve_left_transposed)(lower, stride, d, b, b_stride, columns);
}
void solve_right_transposed(const double* lower, Index stride, Index d, double* b, Index b_stride,
                            Index rows) {
  HWY_DYNAMIC_DISPATCH(solve_right_transposed)(lower, stride, d, b, b_stride, rows);
}

void invert_triangle(double* lower, Index stride, Index d) {
  Scratch work(usize((d / 2 + 64) * (d / 2 + 64)));
  HWY_DYNAMIC_DISPATCH(invert_triangle)(lower, stride, d, work.data());
}

}  // namespace craton
#endif
