// Kernels of points in vectors: squared distances of blocks of eight points, their kernels, and the
// sums of these. It is compiled once for each target of the file that includes it.
#include <hwy/highway.h>
// clang-format off
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <cmath>

#include "craton/kernels/smoothing/smoothing_kernel.h"

#if defined(CRATON_KERNEL_TERMS) == defined(HWY_TARGET_TOGGLE)
#ifdef CRATON_KERNEL_TERMS
#undef CRATON_KERNEL_TERMS
#else
#define CRATON_KERNEL_TERMS
#endif

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 8;
using Tag = hn::CappedTag<double, kLanes>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag()), kVectors = kLanes / kWidth;

HWY_INLINE Vector set(double value) { return hn::Set(kTag, value); }

// By the first columns of blocks that have `stride` of them.
HWY_INLINE void squared_distances_to_blocks(const double* x, const double* ratios,
                                            std::size_t columns, std::size_t stride,
                                            const double* blocks, std::size_t count, double* out) {
  for (std::size_t b = 0; b < count; ++b, out += kLanes, blocks += stride * kLanes) {
    Vector sum[kVectors];
    for (Vector& s : sum) s = hn::Zero(kTag);
    for (std::size_t j = 0; j < columns; ++j) {
      const Vector value = set(x[j]), ratio = set(ratios[j]);
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Vector y = hn::LoadU(kTag, blocks + j * kLanes + v * kWidth);
        const Vector gap = hn::Mul(hn::Sub(value, y), ratio);
        sum[v] = hn::MulAdd(gap, gap, sum[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], kTag, out + v * kWidth);
  }
}

HWY_INLINE double least_of(const double* values, std::size_t count) {
  Vector least = set(INFINITY);
  for (std::size_t i = 0; i < count; i += kWidth) {
    least = hn::Min(least, hn::LoadU(kTag, values + i));
  }
  return hn::GetLane(hn::MinOfLanes(kTag, least));
}

HWY_INLINE double add_in_pairs(const Vector* partial) {
  double lanes[kLanes];
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(partial[v], kTag, lanes + v * kWidth);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// sum_i w_i k(v_i) by lane, and the same of the doubt, which term(v, k, doubt) gives.
template <class Term>
HWY_INLINE void add_terms(const double* squares, const double* weights, std::size_t count,
                          const Term& term, Vector* to_sums, Vector* to_doubts) {
  Vector sums[kVectors], doubts[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[v] = to_sums[v], doubts[v] = to_doubts[v];
  for (std::size_t i = 0; i < count; i += kLanes) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector w = hn::LoadU(kTag, weights + i + v * kWidth);
      Vector k, d = hn::Zero(kTag);
      term(hn::LoadU(kTag, squares + i + v * kWidth), k, d);
      sums[v] = hn::MulAdd(w, k, sums[v]);
      doubts[v] = hn::MulAdd(w, d, doubts[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) to_sums[v] = sums[v], to_doubts[v] = doubts[v];
}

// `unit` is h, exponents are a - shift, `margin` is delta.
inline void add_kernel_terms(SmoothingKernel kernel, double unit, double shift_by, double margin,
                             const double* squares, const double* weights, std::size_t count,
                             Vector* sums, Vector* doubts) {
  constexpr double kHalfPi = 1.57079632679489661923;
  const Vector one = set(1), zero = hn::Zero(kTag), per_square = set(1 / (unit * unit)),
               per_unit = set(1 / unit), shift = set(shift_by), beyond = set(1 + 4 * margin);
  const auto add = [&](const auto& term)
                       HWY_ATTR { add_terms(squares, weights, count, term, sums, doubts); };
  switch (kernel) {
    case SmoothingKernel::kGaussian: {
      const Vector half = hn::Mul(set(0.5), per_square);
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::Exp(kTag, hn::NegMulAdd(v, half, shift)); });
    }
    case SmoothingKernel::kExponential:
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::Exp(kTag, hn::NegMulAdd(hn::Sqrt(v), per_unit, shift)); });
    case SmoothingKernel::kLogistic: {
      const Vector more = set(shift_by > 0 ? 0 : 1);  // far away e^-u is nothing beside 1
      return add([&](Vector v, Vector& k, Vector&) HWY_ATTR {
        const Vector e = hn::Exp(kTag, hn::NegMulAdd(hn::Sqrt(v), per_unit, shift));
        const Vector root = hn::MulAdd(e, more, one);
        k = hn::Div(hn::Mul(set(4), e), hn::Mul(root, root));
      });
    }
    case SmoothingKernel::kTophat: {
      const Vector end = set(unit * unit);
      return add([&](Vector v, Vector& k, Vector&)
                     HWY_ATTR { k = hn::IfThenElseZero(hn::Lt(v, end), one); });
    }
    case SmoothingKernel::kEpanechnikov:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square);
        k = hn::Max(zero, hn::Sub(one, t));
        d = hn::IfThenElseZero(hn::Lt(t, beyond), one);
      });
    case SmoothingKernel::kBiweight:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), s = hn::Max(zero, hn::Sub(one, t));
        k = hn::Mul(s, s);
        d = hn::Mul(set(2), hn::Max(zero, hn::Sub(beyond, t)));
      });
    case SmoothingKernel::kTriweight:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), s = hn::Max(zero, hn::Sub(one, t));
        const Vector near = hn::Max(zero, hn::Sub(beyond, t));
        k = hn::Mul(hn::Mul(s, s), s);
        d = hn::Mul(hn::Mul(set(3), near), near);
      });
    case SmoothingKernel::kTricube:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector t = hn::Mul(v, per_square), cube = hn::Mul(t, hn::Sqrt(t));
        const Vector s = hn::Max(zero, hn::Sub(one, cube));
        const Vector near = hn::Max(zero, hn::Sub(beyond, cube));
        k = hn::Mul(hn::Mul(s, s), s);
        d = hn::Mul(hn::Mul(set(5), near), near);
      });
    case SmoothingKernel::kLinear:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector u = hn::Mul(hn::Sqrt(v), per_unit);
        k = hn::Max(zero, hn::Sub(one, u));
        d = hn::IfThenElseZero(hn::Lt(u, beyond), one);
      });
    case SmoothingKernel::kCosine:
      return add([&](Vector v, Vector& k, Vector& d) HWY_ATTR {
        const Vector u = hn::Mul(hn::Sqrt(v), per_unit);
        k = hn::Sin(kTag, hn::Mul(set(kHalfPi), hn::Max(zero, hn::Sub(one, u))));
        d = hn::IfThenElseZero(hn::Lt(u, beyond), one);
      });
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
