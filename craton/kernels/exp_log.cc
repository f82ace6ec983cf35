#include "craton/kernels/exp_log.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/exp_log.cc"
// foreach_target comes before what it repeats.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;

// What exp() makes 0, and a product with that 0 does not turn into NaN.
constexpr double kVanished = -750;

template <class F>
HWY_INLINE void transform(double* values, std::size_t size, const F& f) {
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    hn::StoreU(f(hn::LoadU(kTag, values + i)), kTag, values + i);
  if (i == size) return;
  HWY_ALIGN double rest[8];
  std::fill(rest, rest + 8, 1.0);
  std::copy(values + i, values + size, rest);
  hn::Store(f(hn::Load(kTag, rest)), kTag, rest);
  std::copy(rest, rest + (size - i), values + i);
}

void exp_all(double* values, std::size_t size) {
  transform(values, size, [](Vector v) HWY_ATTR { return hn::Exp(kTag, v); });
}

void log_all(double* values, std::size_t size) {
  transform(values, size, [](Vector v) HWY_ATTR { return hn::Log(kTag, v); });
}

double log_sum_exp(const double* values, std::size_t size) {
  const std::size_t lanes = hn::Lanes(kTag);
  double top = -INFINITY;
  for (std::size_t i = 0; i < size; ++i) top = std::max(top, values[i]);
  if (!(top > -INFINITY)) return top;
  Vector sum = hn::Zero(kTag);
  std::size_t i = 0;
  const auto term = [&](const double* at) HWY_ATTR {
    const Vector shifted = hn::Sub(hn::LoadU(kTag, at), hn::Set(kTag, top));
    return hn::Exp(kTag, hn::Max(shifted, hn::Set(kTag, kVanished)));
  };
  for (; i + lanes <= size; i += lanes) sum = hn::Add(sum, term(values + i));
  double rest[8];
  std::fill(rest, rest + 8, -INFINITY);
  std::copy(values + i, values + size, rest);
  sum = hn::Add(sum, term(rest));
  return top + std::log(hn::GetLane(hn::SumOfLanes(kTag, sum)));
}

void softmax_columns(double* a, std::size_t k, std::size_t rows, std::size_t stride,
                     double* log_sum, double* entropy) {
  for (std::size_t b = 0; b < rows; b += hn::Lanes(kTag)) {
    Vector top = hn::LoadU(kTag, a + b);
    for (std::size_t c = 1; c < k; ++c) top = hn::Max(top, hn::LoadU(kTag, a + c * stride + b));
    Vector sum = hn::Zero(kTag), mean = hn::Zero(kTag);  // of exp(s), and of s exp(s)
    for (std::size_t c = 0; c < k; ++c) {
      double* at = a + c * stride + b;
      const Vector s = hn::Max(hn::Sub(hn::LoadU(kTag, at), top), hn::Set(kTag, kVanished));
      const Vector e = hn::Exp(kTag, s);
      sum = hn::Add(sum, e);
      mean = hn::MulAdd(e, s, mean);
      hn::StoreU(e, kTag, at);
    }
    const Vector scale = hn::Div(hn::Set(kTag, 1.0), sum);
    for (std::size_t c = 0; c < k; ++c) {
      double* at = a + c * stride + b;
      hn::StoreU(hn::Mul(hn::LoadU(kTag, at), scale), kTag, at);
    }
    const Vector log = hn::Log(kTag, sum);
    // top - top is NaN, and says so, where top is not finite.
    hn::StoreU(hn::Add(hn::Add(top, hn::Sub(top, top)), log), kTag, log_sum + b);
    hn::StoreU(hn::NegMulAdd(mean, scale, log), kTag, entropy + b);
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(exp_all);
HWY_EXPORT(log_all);
HWY_EXPORT(log_sum_exp);
HWY_EXPORT(softmax_columns);

void exp_all(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(exp_all)(values.data(), values.size());
}
void log_all(std::span<double> values) {
  HWY_DYNAMIC_DISPATCH(log_all)(values.data(), values.size());
}
double log_sum_exp(std::span<const double> values) {
  return HWY_DYNAMIC_DISPATCH(log_sum_exp)(values.data(), values.size());
}
void softmax_columns(double* a, std::size_t k, std::size_t rows, std::size_t stride,
                     double* log_sum, double* entropy) {
  HWY_DYNAMIC_DISPATCH(softmax_columns)(a, k, rows, stride, log_sum, entropy);
}

}  // namespace craton
#endif
