#include "craton/kernels/gaussian.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/gaussian.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;

HWY_INLINE Vector load(const double* at) { return hn::LoadU(kTag, at); }
HWY_INLINE double total(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }
HWY_INLINE Vector sum_of_squares(Vector a, Vector b, Vector c, Vector d, Vector sum) {
  return hn::MulAdd(d, d, hn::MulAdd(c, c, hn::MulAdd(b, b, hn::MulAdd(a, a, sum))));
}

// A difference that overflowed times a factor of 0 is NaN; the density there is 0.
HWY_INLINE Vector log_density(Vector square, double constant) {
  const Vector value = hn::MulAdd(hn::Set(kTag, -0.5), square, hn::Set(kTag, constant));
  return hn::IfThenElse(hn::Ge(square, hn::Zero(kTag)), value, hn::Set(kTag, -INFINITY));
}

// Four rows of A times three vectors of rows of the block: twelve sums in registers. The rows of
// three vectors, and A, stay in the nearest cache.
void full_log_density(const double* x, const double* mean, const double* packed, double constant,
                      std::size_t d, std::size_t rows, double* work, double* out) {
  const std::size_t lanes = hn::Lanes(kTag), step = 3 * lanes;
  for (std::size_t b = 0; b < rows; b += step, out += step) {
    for (std::size_t j = 0; j < d; ++j) {
      const Vector mu = hn::Set(kTag, mean[j]);
      const double* at = x + j * kBlockRows + b;
      double* y = work + j * step;
      hn::StoreU(hn::Sub(load(at), mu), kTag, y);
      hn::StoreU(hn::Sub(load(at + lanes), mu), kTag, y + lanes);
      hn::StoreU(hn::Sub(load(at + 2 * lanes), mu), kTag, y + 2 * lanes);
    }
    Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0;
    const double* factor = packed;
    for (std::size_t i = 0; i < d; i += 4) {
      const std::size_t columns = std::min(i + 4, d);
      Vector a0 = hn::Zero(kTag), a1 = a0, a2 = a0, b0 = a0, b1 = a0, b2 = a0;
      Vector c0 = a0, c1 = a0, c2 = a0, d0 = a0, d1 = a0, d2 = a0;
      const double* at = work;
      for (std::size_t j = 0; j < columns; ++j, factor += 4, at += step) {
        const Vector y0 = load(at), y1 = load(at + lanes), y2 = load(at + 2 * lanes);
        Vector f = hn::Set(kTag, factor[0]);
        a0 = hn::MulAdd(f, y0, a0), a1 = hn::MulAdd(f, y1, a1), a2 = hn::MulAdd(f, y2, a2);
        f = hn::Set(kTag, factor[1]);
        b0 = hn::MulAdd(f, y0, b0), b1 = hn::MulAdd(f, y1, b1), b2 = hn::MulAdd(f, y2, b2);
        f = hn::Set(kTag, factor[2]);
        c0 = hn::MulAdd(f, y0, c0), c1 = hn::MulAdd(f, y1, c1), c2 = hn::MulAdd(f, y2, c2);
        f = hn::Set(kTag, factor[3]);
        d0 = hn::MulAdd(f, y0, d0), d1 = hn::MulAdd(f, y1, d1), d2 = hn::MulAdd(f, y2, d2);
      }
      s0 = sum_of_squares(a0, b0, c0, d0, s0);
      s1 = sum_of_squares(a1, b1, c1, d1, s1);
      s2 = sum_of_squares(a2, b2, c2, d2, s2);
    }
    hn::StoreU(log_density(s0, constant), kTag, out);
    hn::StoreU(log_density(s1, constant), kTag, out + lanes);
    hn::StoreU(log_density(s2, constant), kTag, out + 2 * lanes);
  }
}

void diagonal_log_density(const double* x, const double* mean, const double* scale, double constant,
                          std::size_t d, std::size_t rows, double* out) {
  const std::size_t lanes = hn::Lanes(kTag);
  for (std::size_t b = 0; b < rows; b += 3 * lanes) {
    Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0;
    for (std::size_t j = 0; j < d; ++j) {
      const double* at = x + j * kBlockRows + b;
      const Vector mu = hn::Set(kTag, mean[j]), f = hn::Set(kTag, scale[j]);
      const Vector y0 = hn::Mul(hn::Sub(load(at), mu), f);
      const Vector y1 = hn::Mul(hn::Sub(load(at + lanes), mu), f);
      const Vector y2 = hn::Mul(hn::Sub(load(at + 2 * lanes), mu), f);
      s0 = hn::MulAdd(y0, y0, s0), s1 = hn::MulAdd(y1, y1, s1), s2 = hn::MulAdd(y2, y2, s2);
    }
    hn::StoreU(log_density(s0, constant), kTag, out + b);
    hn::StoreU(log_density(s1, constant), kTag, out + b + lanes);
    hn::StoreU(log_density(s2, constant), kTag, out + b + 2 * lanes);
  }
}

// v = r w, and its sum. A row of weight 0 may lie anywhere, and have no posterior.
HWY_INLINE double weigh(const double* r, const double* w, std::size_t rows, double* v) {
  Vector sum = hn::Zero(kTag);
  for (std::size_t b = 0; b < rows; b += hn::Lanes(kTag)) {
    const Vector weight = load(w + b);
    const Vector product =
        hn::IfThenElseZero(hn::Gt(weight, hn::Zero(kTag)), hn::Mul(load(r + b), weight));
    sum = hn::Add(sum, product);
    hn::Store(product, kTag, v + b);
  }
  return total(sum);
}

// Of narrow rows: sum_b y y' of y = sqrt(v) (x - mean), four columns times two, along the rows.
double narrow_scatter(const double* x, const double* mean, const double* r, const double* w,
                      std::size_t d, std::size_t rows, double* work, double* sum, double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag);
  HWY_ALIGN double root[kBlockRows];
  const double n = weigh(r, w, rows, root);
  if (n == 0) return 0;
  for (std::size_t b = 0; b < rows; b += lanes) {
    hn::Store(hn::Sqrt(hn::Load(kTag, root + b)), kTag, root + b);
  }
  for (std::size_t j = 0; j < d; ++j) {
    const Vector mu = hn::Set(kTag, mean[j]);
    const std::size_t at = j * kBlockRows;
    Vector of_column = hn::Zero(kTag);
    for (std::size_t b = 0; b < rows; b += lanes) {
      const Vector q = hn::Load(kTag, root + b);
      const Vector y = hn::Mul(hn::Sub(load(x + at + b), mu), q);
      of_column = hn::MulAdd(y, q, of_column);
      hn::StoreU(y, kTag, work + at + b);
    }
    sum[j] += total(of_column);
  }
  const std::size_t padded = (d + 3) / 4 * 4;
  std::fill(work + d * kBlockRows, work + padded * kBlockRows, 0.0);
  for (std::size_t i = 0; i < d; i += 4) {
    for (std::size_t j = 0; j < std::min(i + 4, d); j += 2) {
      Vector a0 = hn::Zero(kTag), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
      const double *left = work + i * kBlockRows, *right = work + j * kBlockRows;
      for (std::size_t b = 0; b < rows; b += lanes) {
        const Vector y0 = load(right + b), y1 = load(right + kBlockRows + b);
        Vector z = load(left + b);
        a0 = hn::MulAdd(z, y0, a0), a1 = hn::MulAdd(z, y1, a1);
        z = load(left + kBlockRows + b);
        b0 = hn::MulAdd(z, y0, b0), b1 = hn::MulAdd(z, y1, b1);
        z = load(left + 2 * kBlockRows + b);
        c0 = hn::MulAdd(z, y0, c0), c1 = hn::MulAdd(z, y1, c1);
        z = load(left + 3 * kBlockRows + b);
        d0 = hn::MulAdd(z, y0, d0), d1 = hn::MulAdd(z, y1, d1);
      }
      const auto add = [&](std::size_t u, Vector v0, Vector v1) HWY_ATTR {
        double* row = scatter + u * (u + 1) / 2;
        if (u < d && j <= u) row[j] += total(v0);
        if (u < d && j + 1 <= u) row[j + 1] += total(v1);
      };
      add(i, a0, a1), add(i + 1, b0, b1), add(i + 2, c0, c1), add(i + 3, d0, d1);
    }
  }
  return n;
}

// The rows that count: v_b = r_b w_b above kNegligible of the largest. Their sum, their numbers and
// their v. What is left out is far below the rounding of what is not.
struct Counted {
  double weight = 0;
  std::size_t size = 0;
  std::uint8_t row[kBlockRows];
  double v[kBlockRows];
};

HWY_INLINE void count_rows(const double* r, const double* w, std::size_t rows, Counted& counted) {
  constexpr double kNegligible = 1e-20;
  HWY_ALIGN double v[kBlockRows];
  if (weigh(r, w, rows, v) == 0) return;
  const double least = kNegligible * *std::max_element(v, v + rows);
  for (std::size_t b = 0; b < rows; ++b) {
    if (!(v[b] > least)) continue;
    counted.row[counted.size] = static_cast<std::uint8_t>(b);
    counted.v[counted.size++] = v[b];
    counted.weight += v[b];
  }
}

// Adds `sums`, entries j.. of row u of the lower half, as far as the diagonal.
HWY_INLINE void add_entries(Vector sums, std::size_t u, std::size_t j, std::size_t d,
                            double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag);
  if (u >= d || j > u) return;
  double* at = scatter + u * (u + 1) / 2 + j;
  if (j + lanes <= u + 1) return hn::StoreU(hn::Add(load(at), sums), kTag, at);
  HWY_ALIGN double part[8] = {};
  hn::Store(sums, kTag, part);
  for (std::size_t l = 0; j + l <= u; ++l) at[l] += part[l];
}

// Four rows of the lower half times kVectors vectors of its columns: sums over y, which lies row by
// row.
template <int kVectors>
HWY_INLINE void add_tile(const double* y, std::size_t stride, std::size_t rows, std::size_t i,
                         std::size_t j, std::size_t d, double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag);
  Vector a0 = hn::Zero(kTag), a1 = a0, a2 = a0, b0 = a0, b1 = a0, b2 = a0;
  Vector c0 = a0, c1 = a0, c2 = a0, d0 = a0, d1 = a0, d2 = a0;
  for (std::size_t b = 0; b < rows; ++b, y += stride) {
    const double* right = y + j;
    const Vector y0 = load(right);
    const Vector y1 = kVectors > 1 ? load(right + lanes) : y0;
    const Vector y2 = kVectors > 2 ? load(right + 2 * lanes) : y0;
    Vector f = hn::Set(kTag, y[i]);
    a0 = hn::MulAdd(f, y0, a0);
    if constexpr (kVectors > 1) a1 = hn::MulAdd(f, y1, a1);
    if constexpr (kVectors > 2) a2 = hn::MulAdd(f, y2, a2);
    f = hn::Set(kTag, y[i + 1]);
    b0 = hn::MulAdd(f, y0, b0);
    if constexpr (kVectors > 1) b1 = hn::MulAdd(f, y1, b1);
    if constexpr (kVectors > 2) b2 = hn::MulAdd(f, y2, b2);
    f = hn::Set(kTag, y[i + 2]);
    c0 = hn::MulAdd(f, y0, c0);
    if constexpr (kVectors > 1) c1 = hn::MulAdd(f, y1, c1);
    if constexpr (kVectors > 2) c2 = hn::MulAdd(f, y2, c2);
    f = hn::Set(kTag, y[i + 3]);
    d0 = hn::MulAdd(f, y0, d0);
    if constexpr (kVectors > 1) d1 = hn::MulAdd(f, y1, d1);
    if constexpr (kVectors > 2) d2 = hn::MulAdd(f, y2, d2);
  }
  const auto add = [&](std::size_t u, Vector v0, Vector v1, Vector v2) HWY_ATTR {
    add_entries(v0, u, j, d, scatter);
    if (kVectors > 1) add_entries(v1, u, j + lanes, d, scatter);
    if (kVectors > 2) add_entries(v2, u, j + 2 * lanes, d, scatter);
  };
  add(i, a0, a1, a2), add(i + 1, b0, b1, b2), add(i + 2, c0, c1, c2), add(i + 3, d0, d1, d2);
}

// Of wide rows: y = sqrt(v) (x - mean) of the rows that count, row by row, as many at a time as the
// nearest cache holds.
double wide_scatter(const double* by_row, const double* mean, const double* r, const double* w,
                    std::size_t d, std::size_t rows, double* work, double* sum, double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag), stride = row_stride(d);
  constexpr std::size_t kCache = 24 * 1024 / sizeof(double), kLeast = 16;
  Counted counted;
  count_rows(r, w, rows, counted);
  const std::size_t most = std::max(kLeast, kCache / stride);
  for (std::size_t first = 0; first < counted.size; first += most) {
    const std::size_t count = std::min(most, counted.size - first);
    for (std::size_t b = 0; b < count; ++b) {
      const double root = std::sqrt(counted.v[first + b]);
      const double* row = by_row + counted.row[first + b] * stride;
      const Vector q = hn::Set(kTag, root);
      double* y = work + b * stride;
      std::size_t j = 0;
      for (; j + lanes <= d; j += lanes) {
        const Vector scaled = hn::Mul(hn::Sub(load(row + j), load(mean + j)), q);
        hn::StoreU(scaled, kTag, y + j);
        hn::StoreU(hn::MulAdd(scaled, q, load(sum + j)), kTag, sum + j);
      }
      for (; j < d; ++j) {
        y[j] = (row[j] - mean[j]) * root;
        sum[j] += y[j] * root;
      }
      std::fill(y + d, y + stride, 0.0);
    }
    for (std::size_t i = 0; i < d; i += 4) {
      std::size_t j = 0, vectors = (i + 4 + lanes - 1) / lanes;
      for (; vectors > 4 || vectors == 3; vectors -= 3, j += 3 * lanes) {
        add_tile<3>(work, stride, count, i, j, d, scatter);
      }
      for (; vectors >= 2; vectors -= 2, j += 2 * lanes) {
        add_tile<2>(work, stride, count, i, j, d, scatter);
      }
      if (vectors == 1) add_tile<1>(work, stride, count, i, j, d, scatter);
    }
  }
  return counted.weight;
}

double add_full_scatter(const double* x, const double* by_row, const double* mean, const double* r,
                        const double* w, std::size_t d, std::size_t rows, double* work, double* sum,
                        double* scatter) {
  return d < kWideRows ? narrow_scatter(x, mean, r, w, d, rows, work, sum, scatter)
                       : wide_scatter(by_row, mean, r, w, d, rows, work, sum, scatter);
}

double narrow_diagonal(const double* x, const double* mean, const double* r, const double* w,
                       std::size_t d, std::size_t rows, double* sum, double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag);
  HWY_ALIGN double v[kBlockRows];
  const double n = weigh(r, w, rows, v);
  if (n == 0) return 0;
  for (std::size_t j = 0; j < d; ++j) {
    const Vector mu = hn::Set(kTag, mean[j]);
    Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0, t0 = s0, t1 = s0, t2 = s0;
    for (std::size_t b = 0; b < rows; b += 3 * lanes) {
      const double *at = x + j * kBlockRows + b, *of = v + b;
      const Vector y0 = hn::Sub(load(at), mu), y1 = hn::Sub(load(at + lanes), mu);
      const Vector y2 = hn::Sub(load(at + 2 * lanes), mu);
      const Vector z0 = hn::Mul(y0, load(of)), z1 = hn::Mul(y1, load(of + lanes));
      const Vector z2 = hn::Mul(y2, load(of + 2 * lanes));
      s0 = hn::Add(s0, z0), s1 = hn::Add(s1, z1), s2 = hn::Add(s2, z2);
      t0 = hn::MulAdd(z0, y0, t0), t1 = hn::MulAdd(z1, y1, t1), t2 = hn::MulAdd(z2, y2, t2);
    }
    sum[j] += total(hn::Add(hn::Add(s0, s1), s2));
    scatter[j] += total(hn::Add(hn::Add(t0, t1), t2));
  }
  return n;
}

// Four vectors of columns of the rows that count, in registers. What lies beyond the last column is
// not kept.
double wide_diagonal(const double* by_row, const double* mean, const double* r, const double* w,
                     std::size_t d, std::size_t rows, double* sum, double* scatter) {
  const std::size_t lanes = hn::Lanes(kTag), stride = row_stride(d);
  Counted counted;
  count_rows(r, w, rows, counted);
  HWY_ALIGN double first[32], second[32];
  for (std::size_t j = 0; j < d; j += 4 * lanes) {
    const std::size_t here = std::min(4 * lanes, d - j);
    std::fill(std::copy(mean + j, mean + j + here, first), first + 32, 0.0);
    const Vector m0 = load(first), m1 = load(first + lanes);
    const Vector m2 = load(first + 2 * lanes), m3 = load(first + 3 * lanes);
    Vector s0 = hn::Zero(kTag), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (std::size_t b = 0; b < counted.size; ++b) {
      const double* row = by_row + counted.row[b] * stride + j;
      const Vector v = hn::Set(kTag, counted.v[b]);
      const Vector y0 = hn::Sub(load(row), m0), y1 = hn::Sub(load(row + lanes), m1);
      const Vector y2 = hn::Sub(load(row + 2 * lanes), m2), y3 = hn::Sub(load(row + 3 * lanes), m3);
      const Vector z0 = hn::Mul(y0, v), z1 = hn::Mul(y1, v);
      const Vector z2 = hn::Mul(y2, v), z3 = hn::Mul(y3, v);
      s0 = hn::Add(s0, z0), s1 = hn::Add(s1, z1), s2 = hn::Add(s2, z2), s3 = hn::Add(s3, z3);
      t0 = hn::MulAdd(z0, y0, t0), t1 = hn::MulAdd(z1, y1, t1);
      t2 = hn::MulAdd(z2, y2, t2), t3 = hn::MulAdd(z3, y3, t3);
    }
    hn::StoreU(s0, kTag, first), hn::StoreU(s1, kTag, first + lanes);
    hn::StoreU(s2, kTag, first + 2 * lanes), hn::StoreU(s3, kTag, first + 3 * lanes);
    hn::StoreU(t0, kTag, second), hn::StoreU(t1, kTag, second + lanes);
    hn::StoreU(t2, kTag, second + 2 * lanes), hn::StoreU(t3, kTag, second + 3 * lanes);
    for (std::size_t l = 0; l < here; ++l) sum[j + l] += first[l], scatter[j + l] += second[l];
  }
  return counted.weight;
}

double add_diagonal_scatter(const double* x, const double* by_row, const double* mean,
                            const double* r, const double* w, std::size_t d, std::size_t rows,
                            double* sum, double* scatter) {
  return d < kWideRows ? narrow_diagonal(x, mean, r, w, d, rows, sum, scatter)
                       : wide_diagonal(by_row, mean, r, w, d, rows, sum, scatter);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(full_log_density);
HWY_EXPORT(diagonal_log_density);
HWY_EXPORT(add_full_scatter);
HWY_EXPORT(add_diagonal_scatter);

std::size_t packed_size(std::size_t d) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < d; i += 4) size += 4 * std::min(i + 4, d);
  return size;
}

void pack_lower(const double* lower, std::size_t d, double* packed) {
  for (std::size_t i = 0; i < d; i += 4) {
    for (std::size_t j = 0; j < std::min(i + 4, d); ++j) {
      for (std::size_t u = i; u < i + 4; ++u) *packed++ = u < d && j <= u ? lower[u * d + j] : 0;
    }
  }
}

void full_log_density(const double* x, const double* mean, const double* packed, double constant,
                      std::size_t d, std::size_t rows, double* work, double* out) {
  HWY_DYNAMIC_DISPATCH(full_log_density)(x, mean, packed, constant, d, rows, work, out);
}
void diagonal_log_density(const double* x, const double* mean, const double* scale, double constant,
                          std::size_t d, std::size_t rows, double* out) {
  HWY_DYNAMIC_DISPATCH(diagonal_log_density)(x, mean, scale, constant, d, rows, out);
}
double add_full_scatter(const double* x, const double* by_row, const double* mean, const double* r,
                        const double* w, std::size_t d, std::size_t rows, double* work, double* sum,
                        double* scatter) {
  return HWY_DYNAMIC_DISPATCH(add_full_scatter)(x, by_row, mean, r, w, d, rows, work, sum, scatter);
}
double add_diagonal_scatter(const double* x, const double* by_row, const double* mean,
                            const double* r, const double* w, std::size_t d, std::size_t rows,
                            double* sum, double* scatter) {
  return HWY_DYNAMIC_DISPATCH(add_diagonal_scatter)(x, by_row, mean, r, w, d, rows, sum, scatter);
}

}  // namespace craton
#endif
