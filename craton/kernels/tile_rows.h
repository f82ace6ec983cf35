// Rows of a table in vectors, column by column: lanes are rows. It is compiled once for each target
// of the file that includes it.
#include <hwy/highway.h>

#include <algorithm>

#include "craton/kernels/nearest_tile.h"

#if defined(CRATON_TILE_ROWS) == defined(HWY_TARGET_TOGGLE)
#ifdef CRATON_TILE_ROWS
#undef CRATON_TILE_ROWS
#else
#define CRATON_TILE_ROWS
#endif

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vector = hn::Vec<Tag<T>>;
template <class T>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());
template <class T>
constexpr std::size_t kRows = 2 * kLanes<T>;

// Columns that are taken at a time: blocks of 16 bytes, one from each of as many rows as a vector
// has blocks, are transposed against each other.
template <class T>
constexpr std::size_t kBlock = 16 / sizeof(T);

#if HWY_TARGET != HWY_SCALAR
// kColumns from j on, of rows as far apart.
template <std::size_t kColumns, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load(D tag, const T* const* rows, std::size_t j) {
  if constexpr (hn::MaxLanes(D()) == kColumns) {
    return hn::LoadU(tag, rows[0] + j);
  } else {
    const hn::Half<D> half;
    const auto low = load<kColumns>(half, rows, j);
    return hn::Combine(tag, load<kColumns>(half, rows + hn::MaxLanes(half), j), low);
  }
}

// (x - shift) scale of kBlock columns from j on, of rows kBlock apart.
template <class T>
HWY_INLINE Vector<T> about(const T* const* rows, const T* shift, double scale, std::size_t j) {
  constexpr Tag<T> tag;
  const auto value = hn::Sub(load<kBlock<T>>(tag, rows, j), hn::LoadDup128(tag, shift + j));
  return hn::Mul(value, hn::Set(tag, static_cast<T>(scale)));
}

// Doubles become floats only then.
template <class D>
HWY_INLINE hn::Vec<D> demoted(D tag, const double* const* rows, const float* shift, double scale,
                              std::size_t j) {
  constexpr std::size_t lanes = hn::MaxLanes(D()), columns = std::min(lanes, kBlock<float>);
  if constexpr (lanes == kLanes<double>) {
    const hn::Rebind<double, D> wide;
    const float* const shifts[] = {shift, shift, shift, shift, shift};  // of each block
    const auto middle = hn::PromoteTo(wide, load<columns>(tag, shifts, j));
    const auto value = hn::Sub(load<columns>(wide, rows, j), middle);
    return hn::DemoteTo(tag, hn::Mul(value, hn::Set(wide, scale)));
  } else {
    const hn::Half<D> half;
    const auto low = demoted(half, rows, shift, scale, j);
    if constexpr (lanes == kBlock<float>) {  // half a block: the row's next columns
      return hn::Combine(tag, demoted(half, rows, shift, scale, j + lanes / 2), low);
    } else {
      return hn::Combine(tag, demoted(half, rows + lanes / 2, shift, scale, j), low);
    }
  }
}
HWY_INLINE Vector<float> about(const double* const* rows, const float* shift, double scale,
                               std::size_t j) {
  return demoted(Tag<float>(), rows, shift, scale, j);
}

// Rows r, each with some rows kBlock apart behind it, become columns of `out`.
template <class T>
HWY_INLINE void transpose(const Vector<T>* r, T* out) {
  constexpr Tag<T> tag;
  const auto low = hn::InterleaveLower(tag, r[0], r[1]);
  const auto high = hn::InterleaveUpper(tag, r[0], r[1]);
  if constexpr (kBlock<T> == 2) {
    hn::StoreU(low, tag, out);
    hn::StoreU(high, tag, out + kRows<T>);
  } else {
    const hn::Repartition<double, Tag<T>> pairs;
    const auto a = hn::BitCast(pairs, low), b = hn::BitCast(pairs, high);
    const auto c = hn::BitCast(pairs, hn::InterleaveLower(tag, r[2], r[3]));
    const auto d = hn::BitCast(pairs, hn::InterleaveUpper(tag, r[2], r[3]));
    hn::StoreU(hn::BitCast(tag, hn::InterleaveLower(pairs, a, c)), tag, out);
    hn::StoreU(hn::BitCast(tag, hn::InterleaveUpper(pairs, a, c)), tag, out + kRows<T>);
    hn::StoreU(hn::BitCast(tag, hn::InterleaveLower(pairs, b, d)), tag, out + 2 * kRows<T>);
    hn::StoreU(hn::BitCast(tag, hn::InterleaveUpper(pairs, b, d)), tag, out + 3 * kRows<T>);
  }
}
#endif

// A tile's rows about the shift, column by column.
template <class T, class X>
HWY_INLINE void take(const TileCentres<T>& centres, const X* const* rows, T* HWY_RESTRICT out) {
  const std::size_t columns = usize(centres.columns);
  const T* HWY_RESTRICT shift = centres.shift.data();
  std::size_t j = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; j + kBlock<T> <= columns; j += kBlock<T>) {
    for (std::size_t first = 0; first < kRows<T>; first += kLanes<T>) {
      Vector<T> r[kBlock<T>];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kBlock<T>; ++i) {
        r[i] = about(rows + first + i, shift, centres.scale, j);
      }
      transpose<T>(r, out + j * kRows<T> + first);
    }
  }
#endif
  for (; j < columns; ++j) {
    for (std::size_t i = 0; i < kRows<T>; ++i) {
      const X value = (rows[i][j] - static_cast<X>(shift[j])) * static_cast<X>(centres.scale);
      out[j * kRows<T> + i] = static_cast<T>(value);
    }
  }
}

// |x|^2, in four sums.
template <class T>
HWY_INLINE void squares(const T* HWY_RESTRICT x, std::size_t columns, Vector<T>* out) {
  constexpr Tag<T> tag;
  for (std::size_t v = 0; v < 2; ++v, x += kLanes<T>) {
    Vector<T> sum[4] = {hn::Zero(tag), hn::Zero(tag), hn::Zero(tag), hn::Zero(tag)};
    std::size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) {
        const auto value = hn::LoadU(tag, x + (j + i) * kRows<T>);
        sum[i] = hn::MulAdd(value, value, sum[i]);
      }
    }
    for (; j < columns; ++j) {
      const auto value = hn::LoadU(tag, x + j * kRows<T>);
      sum[0] = hn::MulAdd(value, value, sum[0]);
    }
    out[v] = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  }
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
