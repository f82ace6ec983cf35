#include "craton/kernels/centred_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/centred_rows.cc"
// foreach_target comes before what it repeats.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;
using FloatTag = hn::Rebind<float, Tag>;
constexpr FloatTag kFloatTag;

HWY_INLINE Vector load(const double* from) { return hn::LoadU(kTag, from); }
HWY_INLINE Vector load(const float* from) {
  return hn::PromoteTo(kTag, hn::LoadU(kFloatTag, from));
}

template <class T>
HWY_INLINE void centre(const Dense<T>& x, const double* from, const double* unit, double* z,
                       Index stride) {
  const Index lanes = static_cast<Index>(hn::Lanes(kTag));
  for (Index i = 0; i < x.rows; ++i) {
    const T* const row = x.row(i);
    double* const to = z + i * stride;
    Index j = 0;
    for (; j + lanes <= x.cols; j += lanes) {
      const Vector gap = hn::Sub(load(row + j), load(from + j));
      hn::StoreU(hn::Mul(gap, load(unit + j)), kTag, to + j);
    }
    for (; j < x.cols; ++j) to[j] = (static_cast<double>(row[j]) - from[j]) * unit[j];
  }
}
void centre_doubles(const Dense<double>& x, const double* centre, const double* unit, double* z,
                    Index stride) {
  craton::HWY_NAMESPACE::centre(x, centre, unit, z, stride);
}
void centre_floats(const Dense<float>& x, const double* centre, const double* unit, double* z,
                   Index stride) {
  craton::HWY_NAMESPACE::centre(x, centre, unit, z, stride);
}

// kRows rows at once: their sums do not wait for each other.
template <Index kRows>
HWY_INLINE void dot_some(const double* z, Index stride, Index cols, const double* theta,
                         Index forms, double* out) {
  const Index lanes = static_cast<Index>(hn::Lanes(kTag));
  for (Index r = 0; r < forms; ++r, theta += cols) {
    Vector sums[usize(kRows)];
    for (Vector& sum : sums) sum = hn::Zero(kTag);
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
      const Vector weights = load(theta + j);
      for (Index i = 0; i < kRows; ++i) {
        sums[i] = hn::MulAdd(load(z + i * stride + j), weights, sums[i]);
      }
    }
    for (Index i = 0; i < kRows; ++i) {
      double sum = hn::GetLane(hn::SumOfLanes(kTag, sums[i]));
      for (Index k = j; k < cols; ++k) sum += z[i * stride + k] * theta[k];
      out[i * forms + r] = sum;
    }
  }
}

void dot_rows(const double* z, Index rows, Index stride, Index cols, const double* theta,
              Index forms, double* out) {
  Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    dot_some<4>(z + i * stride, stride, cols, theta, forms, out + i * forms);
  }
  for (; i < rows; ++i) dot_some<1>(z + i * stride, stride, cols, theta, forms, out + i * forms);
}

template <Index kRows>
HWY_INLINE void add_some(const double* z, Index stride, Index cols, const double* factors,
                         Index forms, double* sums) {
  const Index lanes = static_cast<Index>(hn::Lanes(kTag));
  for (Index r = 0; r < forms; ++r, sums += cols) {
    Vector scale[usize(kRows)];
    for (Index i = 0; i < kRows; ++i) scale[i] = hn::Set(kTag, factors[i * forms + r]);
    Index j = 0;
    for (; j + lanes <= cols; j += lanes) {
      Vector sum = load(sums + j);
      for (Index i = 0; i < kRows; ++i) {
        sum = hn::MulAdd(scale[i], load(z + i * stride + j), sum);
      }
      hn::StoreU(sum, kTag, sums + j);
    }
    for (; j < cols; ++j) {
      for (Index i = 0; i < kRows; ++i) sums[j] += factors[i * forms + r] * z[i * stride + j];
    }
  }
}

void add_rows(const double* z, Index rows, Index stride, Index cols, const double* factors,
              Index forms, double* sums) {
  Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    add_some<4>(z + i * stride, stride, cols, factors + i * forms, forms, sums);
  }
  for (; i < rows; ++i) {
    add_some<1>(z + i * stride, stride, cols, factors + i * forms, forms, sums);
  }
}

void to_floats(const double* from, Index count, float* to) {
  const Index lanes = static_cast<Index>(hn::Lanes(kTag));
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::DemoteTo(kFloatTag, load(from + i)), kFloatTag, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(centre_doubles);
HWY_EXPORT(centre_floats);
HWY_EXPORT(dot_rows);
HWY_EXPORT(add_rows);
HWY_EXPORT(to_floats);

void centre_rows(const Dense<double>& x, const double* centre, const double* unit, double* z,
                 Index stride) {
  HWY_DYNAMIC_DISPATCH(centre_doubles)(x, centre, unit, z, stride);
}
void centre_rows(const Dense<float>& x, const double* centre, const double* unit, double* z,
                 Index stride) {
  HWY_DYNAMIC_DISPATCH(centre_floats)(x, centre, unit, z, stride);
}
void dot_rows(const double* z, Index rows, Index stride, Index cols, const double* theta,
              Index forms, double* out) {
  HWY_DYNAMIC_DISPATCH(dot_rows)(z, rows, stride, cols, theta, forms, out);
}
void add_rows(const double* z, Index rows, Index stride, Index cols, const double* factors,
              Index forms, double* sums) {
  HWY_DYNAMIC_DISPATCH(add_rows)(z, rows, stride, cols, factors, forms, sums);
}
void to_floats(const double* from, Index count, float* to) {
  HWY_DYNAMIC_DISPATCH(to_floats)(from, count, to);
}

}  // namespace craton
#endif
