#include "craton/kernels/smoothing/tensor_series.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/smoothing/tensor_series.cc"
// foreach_target comes before what it repeats.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

// The last index lies in vectors of 4. A moment or a value costs p^d multiply-adds, a contraction
// p^(d+1) for each part.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kQuad = 4;
using QuadTag = hn::CappedTag<double, kQuad>;
using QuadVector = hn::Vec<QuadTag>;
constexpr QuadTag kQuadTag;
constexpr std::size_t kQuadWidth = hn::MaxLanes(QuadTag()), kQuadVectors = kQuad / kQuadWidth;

// first u^k / k! for k < p
template <std::size_t kOrder>
HWY_INLINE void powers(double first, double u, double* out) {
  double inverses[kOrder];  // constants of the compiler
  for (std::size_t k = 1; k < kOrder; ++k) inverses[k] = 1 / static_cast<double>(k);
  out[0] = first;
#pragma GCC unroll 20
  for (std::size_t k = 1; k < kOrder; ++k) out[k] = out[k - 1] * (u * inverses[k]);
}

// Those of all columns but the last, multiplied; `leads` has p^(d-1) numbers.
template <std::size_t kOrder>
HWY_INLINE void leading_powers(std::size_t columns, double first, const double* u, double* leads) {
  if (columns == 2) return powers<kOrder>(first, u[0], leads);
  double one[kOrder], two[kOrder];
  powers<kOrder>(first, u[0], one);
  powers<kOrder>(1, u[1], two);
  for (std::size_t a = 0; a < kOrder; ++a) {
    for (std::size_t b = 0; b < kOrder; ++b) leads[a * kOrder + b] = one[a] * two[b];
  }
}

constexpr std::size_t leads_of(std::size_t order, std::size_t columns) {
  return columns == 2 ? order : order * order;
}

template <std::size_t kQuads>
void add_moments_of(std::size_t columns, const PointOfCell* points, std::size_t count) {
  constexpr std::size_t kOrder = kQuads * kQuad, kVectors = kQuads * kQuadVectors;
  alignas(64) double leads[kOrder * kOrder], last[kOrder];
  const std::size_t size = leads_of(kOrder, columns);
  for (std::size_t i = 0; i < count; ++i) {
    leading_powers<kOrder>(columns, points[i].weight, points[i].z, leads);
    powers<kOrder>(1, points[i].z[columns - 1], last);
    QuadVector factors[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      factors[v] = hn::LoadU(kQuadTag, last + v * kQuadWidth);
    }
    double* to = points[i].moments;
    for (std::size_t k = 0; k < size; ++k, to += kOrder) {
      const QuadVector lead = hn::Set(kQuadTag, leads[k]);
#pragma GCC unroll 10
      for (std::size_t v = 0; v < kVectors; ++v) {
        double* const at = to + v * kQuadWidth;
        hn::StoreU(hn::MulAdd(lead, factors[v], hn::LoadU(kQuadTag, at)), kQuadTag, at);
      }
    }
  }
}

template <std::size_t kQuads>
void contract_of(std::size_t columns, const SeriesPart* parts, std::size_t count, double* out) {
  constexpr std::size_t kOrder = kQuads * kQuad, kVectors = kQuads * kQuadVectors;
  constexpr std::size_t kRows = kQuads <= 3 ? 4 : 2;  // as many sums as registers hold
  const std::size_t rest = leads_of(kOrder, columns);
  for (std::size_t r = 0; r < rest; r += kRows) {
    QuadVector sums[kRows][kVectors];
    for (auto& row : sums) {
      for (QuadVector& s : row) s = hn::Zero(kQuadTag);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const double *from = parts[k].tensor + r, *table = parts[k].table;
      for (std::size_t b = 0; b < kOrder; ++b, from += rest, table += kOrder) {
        QuadVector factors[kVectors];
#pragma GCC unroll 10
        for (std::size_t v = 0; v < kVectors; ++v) {
          factors[v] = hn::LoadU(kQuadTag, table + v * kQuadWidth);
        }
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kRows; ++i) {
          const QuadVector value = hn::Set(kQuadTag, from[i]);
#pragma GCC unroll 10
          for (std::size_t v = 0; v < kVectors; ++v) {
            sums[i][v] = hn::MulAdd(value, factors[v], sums[i][v]);
          }
        }
      }
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::StoreU(sums[i][v], kQuadTag, out + (r + i) * kOrder + v * kQuadWidth);
      }
    }
  }
}

template <std::size_t kQuads>
double series_value_of(std::size_t columns, const double* t, const double* coefficients) {
  constexpr std::size_t kOrder = kQuads * kQuad, kVectors = kQuads * kQuadVectors;
  alignas(64) double leads[kOrder * kOrder], last[kOrder];
  leading_powers<kOrder>(columns, 1, t, leads);
  powers<kOrder>(1, t[columns - 1], last);
  QuadVector sums[kVectors];
  for (QuadVector& s : sums) s = hn::Zero(kQuadTag);
  const std::size_t size = leads_of(kOrder, columns);
  for (std::size_t k = 0; k < size; ++k, coefficients += kOrder) {
    const QuadVector lead = hn::Set(kQuadTag, leads[k]);
#pragma GCC unroll 10
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(lead, hn::LoadU(kQuadTag, coefficients + v * kQuadWidth), sums[v]);
    }
  }
  alignas(64) double lanes[kOrder];
  for (std::size_t v = 0; v < kVectors; ++v) {
    const QuadVector factor = hn::LoadU(kQuadTag, last + v * kQuadWidth);
    hn::StoreU(hn::Mul(sums[v], factor), kQuadTag, lanes + v * kQuadWidth);
  }
  double value = 0;
  for (std::size_t q = 0; q < kOrder; q += kQuad) {
    value += (lanes[q] + lanes[q + 1]) + (lanes[q + 2] + lanes[q + 3]);
  }
  return value;
}

void add_tensor_moments(std::size_t order, std::size_t columns, const PointOfCell* points,
                        std::size_t count) {
  switch (order) {
    case 8:
      return add_moments_of<2>(columns, points, count);
    case 12:
      return add_moments_of<3>(columns, points, count);
    case 16:
      return add_moments_of<4>(columns, points, count);
    default:
      return add_moments_of<5>(columns, points, count);
  }
}

void contract_tensors(std::size_t order, std::size_t columns, const SeriesPart* parts,
                      std::size_t count, double* out) {
  switch (order) {
    case 8:
      return contract_of<2>(columns, parts, count, out);
    case 12:
      return contract_of<3>(columns, parts, count, out);
    case 16:
      return contract_of<4>(columns, parts, count, out);
    default:
      return contract_of<5>(columns, parts, count, out);
  }
}

double tensor_value(std::size_t order, std::size_t columns, const double* t,
                    const double* coefficients) {
  switch (order) {
    case 8:
      return series_value_of<2>(columns, t, coefficients);
    case 12:
      return series_value_of<3>(columns, t, coefficients);
    case 16:
      return series_value_of<4>(columns, t, coefficients);
    default:
      return series_value_of<5>(columns, t, coefficients);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_tensor_moments);
HWY_EXPORT(contract_tensors);
HWY_EXPORT(tensor_value);

void add_moments(std::size_t order, std::size_t columns, std::span<const PointOfCell> points) {
  HWY_DYNAMIC_DISPATCH(add_tensor_moments)(order, columns, points.data(), points.size());
}

void contract(std::size_t order, std::size_t columns, std::span<const SeriesPart> parts,
              double* out) {
  HWY_DYNAMIC_DISPATCH(contract_tensors)(order, columns, parts.data(), parts.size(), out);
}

double series_value(std::size_t order, std::size_t columns, const double* t,
                    const double* coefficients) {
  return HWY_DYNAMIC_DISPATCH(tensor_value)(order, columns, t, coefficients);
}

}  // namespace craton
#endif
