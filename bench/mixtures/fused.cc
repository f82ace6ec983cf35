#include "bench/mixtures/fused.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

// clang-format off
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

// Compiled for this CPU alone (-O3 -march=native), all loops over columns and components unrolled.
// A block of rows is transposed once; densities, softmax and responsibilities stay in registers for
// two vectors of rows; the sums of a component are kept in registers along the block.

HWY_BEFORE_NAMESPACE();
namespace craton::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kRows = 256;

HWY_INLINE double total(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }

template <std::size_t kColumns, std::size_t kClasses>
Sums e_step(const double* x, std::size_t n, const Gaussians& g) {
  double constant[kClasses], half[kClasses][kColumns];
  for (std::size_t c = 0; c < kClasses; ++c) {
    constant[c] = std::log(g.weight[c]);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double v = g.variance[c * kColumns + j];
      constant[c] -= 0.5 * std::log(2 * 3.14159265358979323846 * v);
      half[c][j] = -0.5 / v;
    }
  }
  alignas(64) double t[kColumns][kRows], r[kClasses][kRows];
  Sums s{0, std::vector<double>(kClasses), std::vector<double>(kClasses * kColumns),
         std::vector<double>(kClasses * kColumns)};
  Vector log_likelihood = hn::Zero(kTag);
  double rest = 0;
  for (std::size_t first = 0; first < n; first += kRows) {
    const std::size_t rows = std::min(kRows, n - first);
    const double* const block = x + first * kColumns;
    for (std::size_t from = 0; from < rows; from += 8) {
      const std::size_t to = std::min(from + 8, rows);
      for (std::size_t j = 0; j < kColumns; ++j) {
        for (std::size_t b = from; b < to; ++b) t[j][b] = block[b * kColumns + j];
      }
    }
    for (std::size_t j = 0; j < kColumns; ++j) std::fill(t[j] + rows, t[j] + kRows, 0.0);
    for (std::size_t b = 0; b < kRows; b += kLanes) {
      Vector a[kClasses];
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kClasses; ++c) a[c] = hn::Set(kTag, constant[c]);
#pragma GCC unroll 16
      for (std::size_t j = 0; j < kColumns; ++j) {
        const Vector v = hn::Load(kTag, t[j] + b);
#pragma GCC unroll 8
        for (std::size_t c = 0; c < kClasses; ++c) {
          const Vector y = hn::Sub(v, hn::Set(kTag, g.mean[c * kColumns + j]));
          a[c] = hn::MulAdd(hn::Mul(y, y), hn::Set(kTag, half[c][j]), a[c]);
        }
      }
      Vector top = a[0];
#pragma GCC unroll 8
      for (std::size_t c = 1; c < kClasses; ++c) top = hn::Max(top, a[c]);
      Vector sum = hn::Zero(kTag);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kClasses; ++c) {
        a[c] = hn::Exp(kTag, hn::Max(hn::Sub(a[c], top), hn::Set(kTag, -700.0)));
        sum = hn::Add(sum, a[c]);
      }
      const Vector log = hn::Add(top, hn::Log(kTag, sum));
      if (b + kLanes <= rows) {
        log_likelihood = hn::Add(log_likelihood, log);
      } else {
        alignas(64) double part[kLanes];
        hn::Store(log, kTag, part);
        for (std::size_t i = 0; b + i < rows; ++i) rest += part[i];
      }
      const Vector scale = hn::Div(hn::Set(kTag, 1.0), sum);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < kClasses; ++c) hn::Store(hn::Mul(a[c], scale), kTag, r[c] + b);
    }
    for (std::size_t c = 0; c < kClasses; ++c) std::fill(r[c] + rows, r[c] + kRows, 0.0);
    constexpr std::size_t kTile = kColumns < 4 ? kColumns : 4;
    for (std::size_t c = 0; c < kClasses; ++c) {
      for (std::size_t j = 0; j < kColumns; j += kTile) {
        Vector weight = hn::Zero(kTag), sum[kTile], square[kTile];
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kTile; ++i) sum[i] = square[i] = hn::Zero(kTag);
        for (std::size_t b = 0; b < kRows; b += kLanes) {
          const Vector w = hn::Load(kTag, r[c] + b);
          weight = hn::Add(weight, w);
#pragma GCC unroll 4
          for (std::size_t i = 0; i < kTile; ++i) {
            const Vector v = hn::Load(kTag, t[j + i] + b), y = hn::Mul(w, v);
            sum[i] = hn::Add(sum[i], y);
            square[i] = hn::MulAdd(y, v, square[i]);
          }
        }
        if (j == 0) s.weight[c] += total(weight);
        for (std::size_t i = 0; i < kTile; ++i) {
          s.sum[c * kColumns + j + i] += total(sum[i]);
          s.square[c * kColumns + j + i] += total(square[i]);
        }
      }
    }
  }
  s.log_likelihood = total(log_likelihood) + rest;
  return s;
}

}  // namespace

Sums fused_e_step(const double* x, std::size_t n, const Gaussians& model) {
  if (model.d == 2 && model.k == 3) return e_step<2, 3>(x, n, model);
  if (model.d == 8 && model.k == 8) return e_step<8, 8>(x, n, model);
  if (model.d == 16 && model.k == 8) return e_step<16, 8>(x, n, model);
  std::abort();
}

Gaussians fused_m_step(const Sums& s, std::size_t d) {
  Gaussians g{s.weight.size(), d, s.weight, s.sum, s.square};
  double total_weight = 0;
  for (const double w : s.weight) total_weight += w;
  for (std::size_t c = 0; c < g.k; ++c) {
    g.weight[c] /= total_weight;
    for (std::size_t j = 0; j < d; ++j) {
      const double mean = s.sum[c * d + j] / s.weight[c];
      g.mean[c * d + j] = mean;
      g.variance[c * d + j] = s.square[c * d + j] / s.weight[c] - mean * mean;
    }
  }
  return g;
}

}  // namespace craton::bench
HWY_AFTER_NAMESPACE();
