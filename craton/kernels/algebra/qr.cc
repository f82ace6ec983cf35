#include "craton/kernels/algebra/qr.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/kernels/algebra/linalg.h"
#include "craton/kernels/algebra/products.h"
#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/algebra/qr.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/lines.h"

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {

// |x|, also where its square over- or underflows.
HWY_INLINE double norm(const double* x, Index n) {
  constexpr double kLeast = 0x1p-900, kMost = 0x1p1000;
  const double square = dot(x, x, n);
  if (square > kLeast && square < kMost) return std::sqrt(square);
  double largest = 0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (!(largest > 0 && std::isfinite(largest))) return square;  // 0, infinite or NaN
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += (x[i] / largest) * (x[i] / largest);
  return largest * std::sqrt(sum);
}

// The reflection I - tau [1; v][1; v]' that makes [alpha; x] to [beta; 0]: x becomes v.
struct Reflection {
  double beta, tau;
};
HWY_INLINE Reflection reflect(double alpha, double* x, Index n) {
  const double length = norm(x, n);
  if (length == 0) return {alpha, 0};
  const double beta = -std::copysign(std::hypot(alpha, length), alpha), pivot = alpha - beta;
  if (std::abs(pivot) > 0x1p-1000) {
    scale(1 / pivot, x, n);
  } else {
    for (Index i = 0; i < n; ++i) x[i] /= pivot;
  }
  return {beta, (beta - alpha) / beta};
}

// Rows that are added to R: X with its upper triangle of zeros where X is one, from column `first`.
struct Slab {
  double* r;  // d x d
  double* x;  // rows x d; becomes V
  Index d, rows;
  Index first;      // columns before are zeros
  bool triangular;  // row i begins at column first + i
};

// Widths of panels, and of those that are not halved.
constexpr Index kPanel = 32, kNarrow = 16;

// What applies a panel: W and T'W of up to kPanel x d.
struct Work {
  double *w, *tw, *product;
};

// [R; X] of columns [column, column + width) by the reflections of the panel at `panel`:
// W = T' (R_panel + V'X); R_panel -= W; X -= V W.
HWY_INLINE void apply(const Slab& s, Index rows, Index panel, Index panel_width, const double* t,
                      Index t_stride, Index column, Index width, const Work& work) {
  if (width == 0) return;
  double* const top = s.r + panel * s.d + column;
  for (Index i = 0; i < panel_width; ++i) std::copy_n(top + i * s.d, width, work.w + i * width);
  multiply(Product<double>{.a = transposed<double>(s.x + panel, s.d),
                           .b = transposed<double>(s.x + column, s.d),
                           .rows = panel_width,
                           .columns = width,
                           .depth = rows,
                           .into = Into::kAdd},
           work.w, width);
  multiply(Product<double>{.a = transposed(t, t_stride),
                           .b = transposed<double>(work.w, width),
                           .rows = panel_width,
                           .columns = width,
                           .depth = panel_width},
           work.tw, width);
  for (Index i = 0; i < panel_width; ++i) {
    add_scaled(-1, work.tw + i * width, top + i * s.d, width);
  }
  multiply(Product<double>{.a = by_rows<double>(s.x + panel, s.d),
                           .b = transposed<double>(work.tw, width),
                           .rows = rows,
                           .columns = width,
                           .depth = panel_width,
                           .into = Into::kSubtract},
           s.x + column, s.d);
}

// sums_l = sum_i x_i y_li for `count` lines that lie kApart apart, four at a time.
constexpr Index kApart = kRowsOfQr + 8;  // not a power of two: lines would share lines of the cache
HWY_INLINE void dots(const double* x, const double* y, Index count, Index n, double* sums) {
  Index l = 0;
  for (; l + 4 <= count; l += 4) dot_four(x, y + l * kApart, kApart, n, sums + l);
  for (; l < count; ++l) sums[l] = dot(x, y + l * kApart, n);
}

// A panel of at most kNarrow columns, column by column; T is upper triangular, zeros are below. No
// T: nobody needs the reflections.
HWY_INLINE void factor_narrow(const Slab& s, Index rows, Index column, Index width, double* t,
                              Index t_stride) {
  HWY_ALIGN double lines[kNarrow * kApart];
  double sums[kNarrow];
  for (Index j = 0; j < width; ++j) {
    const double* const from = s.x + column + j;
    for (Index i = 0; i < rows; ++i) lines[j * kApart + i] = from[i * s.d];
  }
  for (Index j = 0; j < width; ++j) {
    double* const top = s.r + (column + j) * s.d + column;
    double *const v = lines + j * kApart, *const next = v + kApart;
    const auto [beta, tau] = reflect(top[j], v, rows);
    top[j] = beta;
    const Index left = width - j - 1;
    dots(v, next, left, rows, sums);
    for (Index l = 0; l < left; ++l) {
      sums[l] = tau * (top[j + 1 + l] + sums[l]);
      top[j + 1 + l] -= sums[l];
    }
    Index l = 0;
    for (; l + 4 <= left; l += 4) subtract_four(sums + l, v, next + l * kApart, kApart, rows);
    for (; l < left; ++l) add_scaled(-sums[l], v, next + l * kApart, rows);
    if (!t) continue;
    dots(v, lines, j, rows, sums);  // T_j = -tau T (V'v_j) above its diagonal, tau on it
    for (Index i = 0; i < width; ++i) {
      double sum = 0;
      for (Index q = i; q < j; ++q) sum += t[i * t_stride + q] * sums[q];
      t[i * t_stride + j] = i < j ? -tau * sum : i == j ? tau : 0;
    }
  }
  if (!t) return;
  for (Index j = 0; j < width; ++j) {
    double* const to = s.x + column + j;
    for (Index i = 0; i < rows; ++i) to[i * s.d] = lines[j * kApart + i];
  }
}

// T of both halves: T12 = -T1 (V1'V2) T2; none of the last panel, which is applied to nothing.
void factor_panel(const Slab& s, Index rows, Index column, Index width, double* t, Index t_stride,
                  bool last, const Work& work) {
  if (width <= kNarrow) {
    return factor_narrow(s, rows, column, width, last ? nullptr : t, t_stride);
  }
  const Index half = (width / 2 + kNarrow - 1) / kNarrow * kNarrow, other = width - half;
  double* const t2 = t + half * (t_stride + 1);
  factor_panel(s, rows, column, half, t, t_stride, false, work);
  apply(s, rows, column, half, t, t_stride, column + half, other, work);
  factor_panel(s, rows, column + half, other, t2, t_stride, last, work);
  if (last) return;
  multiply(Product<double>{.a = transposed<double>(s.x + column, s.d),
                           .b = transposed<double>(s.x + column + half, s.d),
                           .rows = half,
                           .columns = other,
                           .depth = rows},
           work.w, other);
  multiply(Product<double>{.a = by_rows<double>(work.w, other),
                           .b = transposed<double>(t2, t_stride),
                           .rows = half,
                           .columns = other,
                           .depth = other},
           work.product, other);
  for (Index i = 0; i < half * other; ++i) work.product[i] = -work.product[i];
  multiply(Product<double>{.a = by_rows<double>(t, t_stride),
                           .b = transposed<double>(work.product, other),
                           .rows = half,
                           .columns = other,
                           .depth = half},
           t + half, t_stride);
  for (Index i = 0; i < other; ++i) std::fill_n(t + (half + i) * t_stride, half, 0.0);
}

void add_slab(const Slab& s) {
  Scratch memory(usize(2 * kPanel * s.d + 2 * kPanel * kPanel));
  double* const t = memory.data();
  const Work work{t + 2 * kPanel * kPanel, t + 2 * kPanel * kPanel + kPanel * s.d,
                  t + kPanel * kPanel};
  for (Index column = s.first; column < s.d; column += kPanel) {
    const Index width = std::min(kPanel, s.d - column), next = column + width;
    const Index rows = s.triangular ? std::min(s.rows, next - s.first) : s.rows;
    factor_panel(s, rows, column, width, t, kPanel, next == s.d, work);
    apply(s, rows, column, width, t, kPanel, next, s.d - next, work);
  }
}

void add_slabs(double* r, Index d, double* x, Index n, bool triangular) {
  for (Index row = 0; row < n; row += kRowsOfQr) {
    add_slab({r, x + row * d, d, std::min(kRowsOfQr, n - row), triangular ? row : 0, triangular});
  }
  for (Index i = 0; i < d; ++i) {
    if (!(r[i * d + i] < 0)) continue;
    for (Index j = i; j < d; ++j) r[i * d + j] = -r[i * d + j];
  }
}

// Columns of A side by side: entry i of column c at a[c * rows + i].
struct Columns {
  double* a;
  Index rows, pivoted, all;
  double* column(Index c) const { return a + c * rows; }
};

// Norms of what is left of the columns: as they are kept, and as they were last computed.
struct Norms {
  std::vector<double> now, before;
};

constexpr Index kPivots = 32;  // columns that are chosen before the others are brought up to date

// Chooses up to kPivots columns from number `first` on, and brings all others up to date: A -= V
// F'. How many; fewer when a norm has to be computed anew. Ends at a column that is nearer than
// `least`.
Index choose_columns(const Columns& c, Index first, double least, Norms& norms, Index* pivots,
                     double* f, bool& ended) {
  const double kWorn = std::sqrt(std::numeric_limits<double>::epsilon());
  const Index rows = c.rows, most = std::min({kPivots, c.pivoted - first, rows - first});
  std::fill_n(f, c.all * kPivots, 0.0);
  bool worn = false;
  Index j = 0;
  for (; j < most && !worn; ++j) {
    const Index k = first + j;
    Index p = k;
    for (Index u = k + 1; u < c.pivoted; ++u) {
      const double more = norms.now[usize(u)] - norms.now[usize(p)];
      if (more > 0 || (more == 0 && pivots[u] < pivots[p])) p = u;
    }
    if (!(norms.now[usize(p)] > least)) {
      ended = true;
      break;
    }
    if (p != k) {
      std::swap_ranges(c.column(k), c.column(k) + rows, c.column(p));
      std::swap_ranges(f + k * kPivots, f + (k + 1) * kPivots, f + p * kPivots);
      std::swap(pivots[k], pivots[p]);
      norms.now[usize(p)] = norms.now[usize(k)];
      norms.before[usize(p)] = norms.before[usize(k)];
    }
    double* const v = c.column(k);
    for (Index l = 0; l < j; ++l) {
      add_scaled(-f[k * kPivots + l], c.column(first + l) + k, v + k, rows - k);
    }
    const auto [beta, tau] = reflect(v[k], v + k + 1, rows - k - 1);
    v[k] = 1;
    // F_j = tau (A - V F')'v, of the columns that are left.
    double along[kPivots], row[kPivots], sums[4];
    for (Index l = 0; l < j; ++l) along[l] = dot(c.column(first + l) + k, v + k, rows - k);
    for (Index u = k + 1; u < c.all; u += 4) {
      const Index here = std::min<Index>(4, c.all - u);
      if (here == 4) {
        dot_four(v + k, c.column(u) + k, rows, rows - k, sums);
      } else {
        for (Index l = 0; l < here; ++l) sums[l] = dot(v + k, c.column(u + l) + k, rows - k);
      }
      for (Index l = 0; l < here; ++l) {
        double* const of = f + (u + l) * kPivots;
        of[j] = tau * (sums[l] - dot(of, along, j));
      }
    }
    // Row k of R, and what is left of the columns below it.
    for (Index l = 0; l <= j; ++l) row[l] = c.column(first + l)[k];
    for (Index u = k + 1; u < c.all; ++u) {
      const double value = c.column(u)[k] - dot(f + u * kPivots, row, j + 1);
      c.column(u)[k] = value;
      if (u >= c.pivoted || norms.now[usize(u)] == 0) continue;
      const double share = std::abs(value) / norms.now[usize(u)];
      const double left = std::max(0.0, (1 - share) * (1 + share));
      const double age = norms.now[usize(u)] / norms.before[usize(u)];
      norms.now[usize(u)] *= std::sqrt(left);
      if (left * age * age <= kWorn) {
        norms.before[usize(u)] = 0;  // says that it has to be computed
        worn = true;
      }
    }
    v[k] = beta;
  }
  // Rows [first, first + j) of all columns are done. R's own entry takes the place of v's 1.
  const Index next = first + j;
  multiply(Product<double>{.a = by_rows<double>(f + next * kPivots, kPivots),
                           .b = transposed<double>(c.column(first) + next, rows),
                           .rows = c.all - next,
                           .columns = rows - next,
                           .depth = j,
                           .into = Into::kSubtract},
           c.column(next) + next, rows);
  for (Index u = next; u < c.pivoted; ++u) {
    if (norms.before[usize(u)] != 0) continue;
    norms.now[usize(u)] = norms.before[usize(u)] = norm(c.column(u) + next, rows - next);
  }
  return j;
}

Index pivot_columns(double* a, Index rows, Index columns, Index all, double tolerance,
                    Index* pivots) {
  const Columns c{a, rows, columns, all};
  Norms norms;
  for (Index u = 0; u < columns; ++u) norms.now.push_back(norm(c.column(u), rows));
  norms.before = norms.now;
  const double largest = columns > 0 ? *std::max_element(norms.now.begin(), norms.now.end()) : 0;
  Scratch f(usize(all * kPivots));
  Index rank = 0;
  for (bool ended = false; !ended && rank < std::min(rows, columns);) {
    rank += choose_columns(c, rank, tolerance * largest, norms, pivots, f.data(), ended);
  }
  return rank;
}

double norm_of(const double* x, Index n) { return norm(x, n); }

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_slabs);
HWY_EXPORT(pivot_columns);
HWY_EXPORT(norm_of);

namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void check_finite(std::span<const double> values) {
  if (all_finite(values)) return;
  throw InputError(Code::kNotFinite, {}, "sums of squares are not finite",
                   "Numbers are missing, infinite or too large: rescale the columns.");
}

}  // namespace

void add_rows(std::span<double> r, Index d, std::span<double> x, Index n, const double* weights) {
  CRATON_ASSERT(std::ssize(r) == d * d && std::ssize(x) == n * d);
  if (weights) {
    for (Index i = 0; i < n; ++i) {
      const double root = std::sqrt(weights[i]);
      for (Index j = 0; j < d; ++j) x[usize(i * d + j)] *= root;
    }
  }
  HWY_DYNAMIC_DISPATCH(add_slabs)(r.data(), d, x.data(), n, false);
  check_finite(r);
}

void merge_triangles(std::span<double> r, std::span<const double> s, Index d) {
  CRATON_ASSERT(std::ssize(r) == d * d && std::ssize(s) == d * d);
  std::vector<double> rows(s.begin(), s.end());
  HWY_DYNAMIC_DISPATCH(add_slabs)(r.data(), d, rows.data(), d, true);
  check_finite(r);
}

PivotedQr pivoted_qr(std::span<const double> a, Index rows, Index columns, Index carried,
                     double tolerance) {
  const Index all = columns + carried;
  CRATON_ASSERT(rows >= 0 && columns >= 0 && carried >= 0 && std::ssize(a) == rows * all);
  check_finite(a);
  if (tolerance < 0) {
    tolerance =
        static_cast<double>(std::max(rows, columns)) * std::numeric_limits<double>::epsilon();
  }
  std::vector<double> by_column(usize(rows * all));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < all; ++j) by_column[usize(j * rows + i)] = a[usize(i * all + j)];
  }
  PivotedQr result;
  result.pivots.resize(usize(columns));
  std::iota(result.pivots.begin(), result.pivots.end(), Index{0});
  const Index rank = HWY_DYNAMIC_DISPATCH(pivot_columns)(by_column.data(), rows, columns, all,
                                                         tolerance, result.pivots.data());
  result.rank = rank;
  result.r.resize(usize(rank * all));
  for (Index i = 0; i < rank; ++i) {
    for (Index j = i; j < all; ++j) result.r[usize(i * all + j)] = by_column[usize(j * rows + i)];
  }
  check_finite(result.r);
  const Index dependent = columns - rank;
  std::vector<double> lower(usize(rank * rank));
  result.combinations.resize(usize(rank * dependent));
  for (Index i = 0; i < rank; ++i) {
    for (Index j = i; j < rank; ++j) lower[usize(j * rank + i)] = result.r[usize(i * all + j)];
    for (Index j = 0; j < dependent; ++j) {
      result.combinations[usize(i * dependent + j)] = result.r[usize(i * all + rank + j)];
    }
  }
  solve_lower_transposed(lower, rank, result.combinations, dependent);
  for (Index j = columns; j < all; ++j) {
    result.rest.push_back(
        HWY_DYNAMIC_DISPATCH(norm_of)(by_column.data() + j * rows + rank, rows - rank));
  }
  return result;
}

}  // namespace craton
#endif
