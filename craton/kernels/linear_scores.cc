#include "craton/kernels/linear_scores.h"

// Between SSE2 and AVX2 nothing is gained, and each target costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/linear_scores.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 4>;
using Vector = hn::Vec<Tag>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr Index kAhead = 12;  // entries: their weights are on the way while these are added

// kVectors of classes stay in registers while the entries of the row go by.
template <std::size_t kVectors, class T>
HWY_INLINE void add_panel(const T* values, const std::int32_t* columns, Index count,
                          const double* HWY_RESTRICT weights, Index stride,
                          double* HWY_RESTRICT out) {
  Vector sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::LoadU(Tag(), out + v * kLanes);
  for (Index e = 0; e < count; ++e) {
    const double* const ahead = weights + stride * columns[e + kAhead < count ? e + kAhead : e];
    for (std::size_t v = 0; v < kVectors; v += 64 / sizeof(double) / kLanes) {
      hwy::Prefetch(ahead + v * kLanes);
    }
    const double* const w = weights + stride * columns[e];
    const Vector x = hn::Set(Tag(), static_cast<double>(values[e]));
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) {
      sum[v] = hn::MulAdd(x, hn::LoadU(Tag(), w + v * kLanes), sum[v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], Tag(), out + v * kLanes);
}

template <class T>
void add_all(const T* values, const std::int32_t* columns, Index count, const double* weights,
             Index stride, double* out) {
  constexpr Index kWide = static_cast<Index>(8 * kLanes), kNarrow = 4;
  Index c = 0;
  for (; c + kWide <= stride; c += kWide) {
    add_panel<8>(values, columns, count, weights + c, stride, out + c);
  }
  for (; c + 4 * kNarrow <= stride; c += 4 * kNarrow) {
    add_panel<4 * kNarrow / kLanes>(values, columns, count, weights + c, stride, out + c);
  }
  for (; c < stride; c += kNarrow) {
    add_panel<kNarrow / kLanes>(values, columns, count, weights + c, stride, out + c);
  }
}

void add_floats(const float* values, const std::int32_t* columns, Index count,
                const double* weights, Index stride, double* out) {
  add_all(values, columns, count, weights, stride, out);
}
void add_doubles(const double* values, const std::int32_t* columns, Index count,
                 const double* weights, Index stride, double* out) {
  add_all(values, columns, count, weights, stride, out);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);

template <>
void add_scores(const float* values, const std::int32_t* columns, Index count,
                const double* weights, Index stride, double* out) {
  HWY_DYNAMIC_DISPATCH(add_floats)(values, columns, count, weights, stride, out);
}
template <>
void add_scores(const double* values, const std::int32_t* columns, Index count,
                const double* weights, Index stride, double* out) {
  HWY_DYNAMIC_DISPATCH(add_doubles)(values, columns, count, weights, stride, out);
}

}  // namespace craton
#endif
