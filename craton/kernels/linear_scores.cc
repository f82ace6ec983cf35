#include "craton/kernels/linear_scores.h"

#include <algorithm>
#include <vector>

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
constexpr Index kStep = static_cast<Index>(kLanes);
constexpr Index kRows = 4, kPanel = 3 * kStep;  // of a block of centred rows: rows and classes
constexpr Index kBlocksAhead = 1;  // of centred rows: on the way while the sums of these are made
constexpr Index kAhead = 24;       // entries: their weights are on the way while these are added

// kVectors of classes stay in registers while the entries of the row go by.
template <std::size_t kVectors, class T>
HWY_INLINE void add_panel(const T* values, const std::int32_t* columns, Index count, Index known,
                          const double* HWY_RESTRICT weights, Index stride,
                          double* HWY_RESTRICT out) {
  Vector sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::LoadU(Tag(), out + v * kLanes);
  for (Index e = 0; e < count; ++e) {
    const double* const ahead = weights + stride * columns[e + kAhead < known ? e + kAhead : e];
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
void add_all(const T* values, const std::int32_t* columns, Index count, Index known,
             const double* weights, Index stride, double* out) {
  constexpr Index kWide = static_cast<Index>(8 * kLanes);
  constexpr std::size_t kFour = 4 / kLanes;  // vectors to four classes
  Index c = 0;
  for (; c + kWide <= stride; c += kWide) {
    add_panel<8>(values, columns, count, known, weights + c, stride, out + c);
  }
  // What is left, in one go if it can be: every go reads the entries again.
  const auto add = [&]<std::size_t kFours>() {
    add_panel<kFours * kFour>(values, columns, count, known, weights + c, stride, out + c);
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

void add_floats(const float* values, const std::int32_t* columns, Index count, Index known,
                const double* weights, Index stride, double* out) {
  add_all(values, columns, count, known, weights, stride, out);
}
void add_doubles(const double* values, const std::int32_t* columns, Index count, Index known,
                 const double* weights, Index stride, double* out) {
  add_all(values, columns, count, known, weights, stride, out);
}

// Four rows about the centre, of which one value after the other meets kVectors of classes. The
// sums have names, for the compiler keeps arrays in memory; with three weights and a value of a row
// they fill 16 registers.
template <Index kVectors>
HWY_INLINE void centred_panel(const double* HWY_RESTRICT y, Index columns,
                              const double* HWY_RESTRICT weights, Index stride, const double* start,
                              double* HWY_RESTRICT out, Index row_length) {
  const Tag tag;
  constexpr Index kSecond = kVectors > 1 ? kStep : 0, kThird = kVectors > 2 ? 2 * kStep : 0;
  Vector a0 = hn::LoadU(tag, start), b0 = a0, c0 = a0, d0 = a0;
  Vector a1 = hn::LoadU(tag, start + kSecond), b1 = a1, c1 = a1, d1 = a1;
  Vector a2 = hn::LoadU(tag, start + kThird), b2 = a2, c2 = a2, d2 = a2;
  for (Index j = 0; j < columns; ++j, weights += stride) {
    const Vector w0 = hn::LoadU(tag, weights);
    const Vector w1 = hn::LoadU(tag, weights + kSecond), w2 = hn::LoadU(tag, weights + kThird);
    const auto add = [&](double value, Vector& s0, Vector& s1, Vector& s2) HWY_ATTR {
      const Vector v = hn::Set(tag, value);
      s0 = hn::MulAdd(v, w0, s0);
      if constexpr (kVectors > 1) s1 = hn::MulAdd(v, w1, s1);
      if constexpr (kVectors > 2) s2 = hn::MulAdd(v, w2, s2);
    };
    add(y[j], a0, a1, a2);
    add(y[columns + j], b0, b1, b2);
    add(y[2 * columns + j], c0, c1, c2);
    add(y[3 * columns + j], d0, d1, d2);
  }
  const auto store = [&](Index row, Vector s0, Vector s1, Vector s2) HWY_ATTR {
    double* const to = out + row * row_length;
    hn::StoreU(s0, tag, to);
    if constexpr (kVectors > 1) hn::StoreU(s1, tag, to + kSecond);
    if constexpr (kVectors > 2) hn::StoreU(s2, tag, to + kThird);
  };
  store(0, a0, a1, a2), store(1, b0, b1, b2), store(2, c0, c1, c2), store(3, d0, d1, d2);
}

HWY_INLINE void subtract(const double* row, const double* centre, Index columns, double* y) {
  Index j = 0;
  for (; j + kStep <= columns; j += kStep) {
    hn::StoreU(hn::Sub(hn::LoadU(Tag(), row + j), hn::LoadU(Tag(), centre + j)), Tag(), y + j);
  }
  for (; j < columns; ++j) y[j] = row[j] - centre[j];
}
HWY_INLINE void subtract(const float* row, const double* centre, Index columns, double* y) {
  for (Index j = 0; j < columns; ++j) y[j] = static_cast<double>(row[j]) - centre[j];
}

template <class T>
HWY_INLINE void prefetch(const T* row, Index columns) {
  for (Index j = 0; j < columns; j += static_cast<Index>(64 / sizeof(T))) hwy::Prefetch(row + j);
}

template <class T>
void centred_all(const Dense<T>& x, const double* centre, const double* weights,
                 const double* start, Index classes, double* out, double* y) {
  static_assert(centred_room(1) == kRows);
  const Index stride = padded_classes(classes);
  double part[kRows * kPanel];
  const Index last_panel = (classes - 1) / kPanel * kPanel;
  for (Index first = 0; first < x.rows; first += kRows) {
    const Index rows = std::min(kRows, x.rows - first);
    for (Index r = 0; r < kRows; ++r) {  // the last row is repeated
      const T* const row = x.row(first + std::min(r, rows - 1));
      prefetch(row + kBlocksAhead * kRows * x.stride, x.cols);
      subtract(row, centre, x.cols, y + r * x.cols);
    }
    // Whole vectors go beyond the end of a row. What they spoil is written later: the row that
    // follows, and before the last classes of rows the first ones. Only the end has nothing after.
    const bool end = (first + kRows - 1) * classes + stride > x.rows * classes;
    for (Index c = last_panel; c >= 0; c -= kPanel) {
      double* const to = end ? part : out + first * classes + c;
      const Index length = end ? kPanel : classes;
      switch (std::min(kPanel, stride - c) / kStep) {
        case 1:
          centred_panel<1>(y, x.cols, weights + c, stride, start + c, to, length);
          break;
        case 2:
          centred_panel<2>(y, x.cols, weights + c, stride, start + c, to, length);
          break;
        default:
          centred_panel<3>(y, x.cols, weights + c, stride, start + c, to, length);
          break;
      }
      if (!end) continue;
      const Index count = std::min(kPanel, classes - c);
      for (Index r = 0; r < rows; ++r) {
        std::copy_n(part + r * kPanel, count, out + (first + r) * classes + c);
      }
    }
  }
}

void centred_floats(const Dense<float>& x, const double* centre, const double* weights,
                    const double* start, Index classes, double* out, double* y) {
  centred_all(x, centre, weights, start, classes, out, y);
}
void centred_doubles(const Dense<double>& x, const double* centre, const double* weights,
                     const double* start, Index classes, double* out, double* y) {
  centred_all(x, centre, weights, start, classes, out, y);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(add_floats);
HWY_EXPORT(add_doubles);
HWY_EXPORT(centred_floats);
HWY_EXPORT(centred_doubles);

template <>
void add_scores(const float* values, const std::int32_t* columns, Index count, Index known,
                const double* weights, Index stride, double* out) {
  HWY_DYNAMIC_DISPATCH(add_floats)(values, columns, count, known, weights, stride, out);
}
template <>
void add_scores(const double* values, const std::int32_t* columns, Index count, Index known,
                const double* weights, Index stride, double* out) {
  HWY_DYNAMIC_DISPATCH(add_doubles)(values, columns, count, known, weights, stride, out);
}

template <>
void centred_scores(const Dense<float>& x, const double* centre, const double* weights,
                    const double* start, Index classes, double* out, double* work) {
  std::vector<double> own(work == nullptr ? usize(centred_room(x.cols)) : 0);
  if (work == nullptr) work = own.data();
  HWY_DYNAMIC_DISPATCH(centred_floats)(x, centre, weights, start, classes, out, work);
}
template <>
void centred_scores(const Dense<double>& x, const double* centre, const double* weights,
                    const double* start, Index classes, double* out, double* work) {
  std::vector<double> own(work == nullptr ? usize(centred_room(x.cols)) : 0);
  if (work == nullptr) work = own.data();
  HWY_DYNAMIC_DISPATCH(centred_doubles)(x, centre, weights, start, classes, out, work);
}

}  // namespace craton
#endif
