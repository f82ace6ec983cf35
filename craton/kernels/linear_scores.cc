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
  constexpr Index kWide = static_cast<Index>(8 * kLanes);
  constexpr std::size_t kFour = 4 / kLanes;  // vectors to four classes
  Index c = 0;
  for (; c + kWide <= stride; c += kWide) {
    add_panel<8>(values, columns, count, weights + c, stride, out + c);
  }
  // What is left, in one go if it can be: every go reads the entries again.
  const auto add = [&]<std::size_t kFours>() {
    add_panel<kFours * kFour>(values, columns, count, weights + c, stride, out + c);
    c += static_cast<Index>(4 * kFours);
  };
  while (c < stride) {
    switch ((stride - c) / 4) {
      case 1:
        add.template operator()<1>();
        break;
      case 2:
        add.template operator()<2>();
        break;
      case 3:
        add.template operator()<3>();
        break;
      case 4:
        add.template operator()<4>();
        break;
      case 5:
        add.template operator()<5>();
        break;
      case 6:
        add.template operator()<6>();
        break;
      default:
        add.template operator()<7>();
        break;
    }
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
