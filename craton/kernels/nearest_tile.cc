#include "craton/kernels/nearest_tile.h"

#include <algorithm>
#include <limits>

#include "craton/kernels/scratch.h"

// Between SSE2 and AVX2 nothing is gained, and each target costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/nearest_tile.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Lanes are rows: two vectors of rows, written column by column, meet up to six centres at a time,
// whose sums stay in registers while the columns go by. Two loads and six broadcasts for twelve
// multiplications. The least two, the margin and the bounds need no work across lanes. Cost:
// 2 n k d, near the CPU's peak for d >= 64.

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
static_assert(kTileRows % kRows<float> == 0);

// Squares of as many columns as rows, 32 bytes wide.
template <class T>
using SquareTag = hn::CappedTag<T, 32 / sizeof(T)>;
template <class T>
using SquareVector = hn::Vec<SquareTag<T>>;
template <class T>
constexpr std::size_t kSide = hn::MaxLanes(SquareTag<T>());

// (x - shift) scale from column j on.
template <class T>
HWY_INLINE SquareVector<T> load(const T* x, const T* shift, double scale, std::size_t j) {
  const SquareTag<T> tag;
  const auto value = hn::Sub(hn::LoadU(tag, x + j), hn::LoadU(tag, shift + j));
  return hn::Mul(value, hn::Set(tag, static_cast<T>(scale)));
}
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE SquareVector<float> load(const double* x, const float* shift, double scale,
                                    std::size_t j) {
  return hn::Set(SquareTag<float>(), static_cast<float>((x[j] - double{shift[j]}) * scale));
}
template <class T>
HWY_INLINE void transpose(const SquareVector<T>* r, T* out, std::size_t) {
  hn::StoreU(r[0], SquareTag<T>(), out);
}
#else
HWY_INLINE SquareVector<float> load(const double* x, const float* shift, double scale,
                                    std::size_t j) {
  const hn::Half<SquareTag<float>> half;
  const hn::Rebind<double, decltype(half)> wide;
  const auto part = [&](std::size_t at) HWY_ATTR {
    const auto about = hn::PromoteTo(wide, hn::LoadU(half, shift + at));
    const auto value = hn::Mul(hn::Sub(hn::LoadU(wide, x + at), about), hn::Set(wide, scale));
    return hn::DemoteTo(half, value);
  };
  const SquareTag<float> tag;
  return hn::Combine(tag, part(j + kSide<float> / 2), part(j));
}

// Rows r become columns of `out`, which lie `stride` apart.
template <class T>
HWY_INLINE void transpose(const SquareVector<T>* r, T* out, std::size_t stride) {
  constexpr std::size_t block = 16 / sizeof(T), side = kSide<T>;
  const SquareTag<T> tag;
  const hn::Repartition<double, SquareTag<T>> pairs;
  SquareVector<T> u[side];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < side; i += block) {
    const auto low = hn::InterleaveLower(tag, r[i], r[i + 1]);
    const auto high = hn::InterleaveUpper(tag, r[i], r[i + 1]);
    if constexpr (block == 2) {
      u[i] = low;
      u[i + 1] = high;
    } else {
      const auto a = hn::BitCast(pairs, low), b = hn::BitCast(pairs, high);
      const auto c = hn::BitCast(pairs, hn::InterleaveLower(tag, r[i + 2], r[i + 3]));
      const auto d = hn::BitCast(pairs, hn::InterleaveUpper(tag, r[i + 2], r[i + 3]));
      u[i] = hn::BitCast(tag, hn::InterleaveLower(pairs, a, c));
      u[i + 1] = hn::BitCast(tag, hn::InterleaveUpper(pairs, a, c));
      u[i + 2] = hn::BitCast(tag, hn::InterleaveLower(pairs, b, d));
      u[i + 3] = hn::BitCast(tag, hn::InterleaveUpper(pairs, b, d));
    }
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < block; ++j) {
    if constexpr (side == block) {
      hn::StoreU(u[j], tag, out + j * stride);
    } else {
      hn::StoreU(hn::ConcatLowerLower(tag, u[j + block], u[j]), tag, out + j * stride);
      hn::StoreU(hn::ConcatUpperUpper(tag, u[j + block], u[j]), tag, out + (j + block) * stride);
    }
  }
}

#endif

// A tile's rows about the shift, column by column.
template <class T, class X>
HWY_INLINE void take(const TileCentres<T>& centres, const X* const* rows, T* HWY_RESTRICT out) {
  constexpr std::size_t side = kSide<T>;
  const std::size_t columns = usize(centres.columns);
  const T* HWY_RESTRICT shift = centres.shift.data();
  std::size_t j = 0;
  for (; j + side <= columns; j += side) {
    for (std::size_t first = 0; first < kRows<T>; first += side) {
      SquareVector<T> r[side];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < side; ++i) {
        r[i] = load(rows[first + i], shift, centres.scale, j);
      }
      transpose<T>(r, out + j * kRows<T> + first, kRows<T>);
    }
  }
  for (; j < columns; ++j) {
    for (std::size_t i = 0; i < kRows<T>; ++i) {
      const X value = (rows[i][j] - static_cast<X>(shift[j])) * static_cast<X>(centres.scale);
      out[j * kRows<T> + i] = static_cast<T>(value);
    }
  }
}

// What is known of a tile's rows so far; the best one's number.
template <class T>
struct Least {
  Vector<T> best, second, which;
};

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

// Rows that will be taken next, some of which a group asks memory for.
struct Ahead {
  const char* const* rows;
  std::size_t count, size;  // of rows, of a value
};

// The values of a group of centres.
template <class T, std::size_t kWidth>
HWY_INLINE void products(const T* HWY_RESTRICT values, const T* HWY_RESTRICT norms,
                         const T* HWY_RESTRICT x, std::size_t columns, const Ahead& ahead,
                         Vector<T> (&sum)[kWidth][2]) {
  constexpr Tag<T> tag;
#pragma GCC unroll 6
  for (std::size_t c = 0; c < kWidth; ++c) sum[c][0] = sum[c][1] = hn::Set(tag, norms[c]);
  const std::size_t step = 64 / ahead.size;  // a line of memory
  for (std::size_t first = 0; first < columns; first += step) {
    const std::size_t last = std::min(columns, first + step);
    for (std::size_t r = 0; r < ahead.count; ++r) hwy::Prefetch(ahead.rows[r] + first * ahead.size);
    for (std::size_t j = first; j < last; ++j) {
      const auto a = hn::LoadU(tag, x + j * kRows<T>);
      const auto b = hn::LoadU(tag, x + j * kRows<T> + kLanes<T>);
#pragma GCC unroll 6
      for (std::size_t c = 0; c < kWidth; ++c) {
        const auto value = hn::Set(tag, values[j * kWidth + c]);
        sum[c][0] = hn::MulAdd(value, a, sum[c][0]);
        sum[c][1] = hn::MulAdd(value, b, sum[c][1]);
      }
    }
  }
}

template <class T, std::size_t kWidth>
HWY_INLINE void group(const T* HWY_RESTRICT values, const T* HWY_RESTRICT norms, std::size_t number,
                      const T* HWY_RESTRICT x, std::size_t columns, const Ahead& ahead,
                      Least<T>* least) {
  constexpr Tag<T> tag;
  Vector<T> sum[kWidth][2];
  products<T, kWidth>(values, norms, x, columns, ahead, sum);
  const T from = static_cast<T>(static_cast<std::int32_t>(number));
#pragma GCC unroll 2
  for (std::size_t v = 0; v < 2; ++v) {
    Least<T> l = least[v];
#pragma GCC unroll 6
    for (std::size_t c = 0; c < kWidth; ++c) {
      const auto less = hn::Lt(sum[c][v], l.best);
      l.second = hn::Min(l.second, hn::Max(l.best, sum[c][v]));
      l.best = hn::Min(l.best, sum[c][v]);
      l.which = hn::IfThenElse(less, hn::Set(tag, from + static_cast<T>(c)), l.which);
    }
    least[v] = l;
  }
}

// Where groups lie.
template <class T>
struct Place {
  const T *values, *norms;
  std::size_t number, width;
};
template <class T>
HWY_INLINE Place<T> place_of(const TileCentres<T>& centres, std::size_t group) {
  const std::size_t wide = usize(centres.wide), width = usize(centres.width);
  const std::size_t number = group * width + std::min(group, wide);
  return {centres.values.data() + number * usize(centres.columns), centres.norms.data() + number,
          number, width + (group < wide ? 1 : 0)};
}

// Groups [first, last), each of which asks memory for some of the next rows.
template <class T>
HWY_INLINE void some_groups(const TileCentres<T>& centres, std::size_t first, std::size_t last,
                            const T* x, const Ahead& next, Least<T>* least) {
  const std::size_t d = usize(centres.columns);
  for (std::size_t g = first; g < last; ++g) {
    const auto [values, norms, number, width] = place_of(centres, g);
    const std::size_t from = next.count * (g - first) / (last - first);
    const std::size_t to = next.count * (g - first + 1) / (last - first);
    const Ahead ahead{next.rows + from, to - from, next.size};
    if (width == 6) group<T, 6>(values, norms, number, x, d, ahead, least);
    if (width == 5) group<T, 5>(values, norms, number, x, d, ahead, least);
    if (width == 4) group<T, 4>(values, norms, number, x, d, ahead, least);
  }
}

// From one part to before another, of so many.
struct Parts {
  std::size_t first, last, all;
};

template <class T, class X>
HWY_INLINE void tiles(const TileCentres<T>& centres, Parts parts, const X* const* rows,
                      std::size_t count, const TileValues<T>& out) {
  const auto [first_part, last_part, all_parts] = parts;
  const auto first_group = [&](std::size_t part) {
    return part * usize(centres.groups) / all_parts;
  };
  constexpr Tag<T> tag;
  constexpr std::size_t size = kRows<T>;
  const std::size_t d = usize(centres.columns),
                    padded = usize(padded_rows(static_cast<Index>(count)));
  Scratch scratch((d * size * sizeof(T)) / sizeof(double) + 1);
  T* const x = reinterpret_cast<T*>(scratch.data());
  const auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(rows[i]); };
  const std::uintptr_t stride = count > 1 ? address(1) - address(0) : 0;
  for (std::size_t first = 0; first < count; first += size) {
    const X* taken[size];
    const char* next[size];
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = first + i, later = at + size;
      taken[i] = rows[std::min(at, count - 1)];
      next[i] = reinterpret_cast<const char*>(
          later < count ? address(later) : address(count - 1) + stride * (later - count + 1));
    }
    take(centres, taken, x);
    Vector<T> square[2];
    squares(x, d, square);
    const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
    for (std::size_t part = first_part; part < last_part; ++part) {
      Least<T> least[2] = {{infinity, infinity, hn::Zero(tag)},
                           {infinity, infinity, hn::Zero(tag)}};
      const Ahead ahead{next, part == first_part ? size : 0, sizeof(X)};
      some_groups(centres, first_group(part), first_group(part + 1), x, ahead, least);
      for (std::size_t v = 0; v < 2; ++v) {
        const std::size_t at = first + v * kLanes<T>, to = (part - first_part) * padded + at;
        hn::StoreU(least[v].best, tag, out.best + to);
        hn::StoreU(least[v].second, tag, out.second + to);
        hn::StoreU(least[v].which, tag, out.which + to);
        if (part == first_part) hn::StoreU(square[v], tag, out.square + at);
      }
    }
  }
}

// The values of all centres themselves: for few of them, so memory is not asked ahead.
template <class T, std::size_t kWidth>
HWY_INLINE void store_group(const Place<T>& place, const T* x, std::size_t columns,
                            std::size_t padded, T* out) {
  constexpr Tag<T> tag;
  Vector<T> sum[kWidth][2];
  products<T, kWidth>(place.values, place.norms, x, columns, Ahead{nullptr, 0, sizeof(T)}, sum);
#pragma GCC unroll 6
  for (std::size_t c = 0; c < kWidth; ++c) {
    hn::StoreU(sum[c][0], tag, out + c * padded);
    hn::StoreU(sum[c][1], tag, out + c * padded + kLanes<T>);
  }
}

template <class X>
HWY_INLINE void all_values(const TileCentres<float>& centres, const X* const* rows,
                           std::size_t count, float* values, float* square) {
  constexpr Tag<float> tag;
  constexpr std::size_t size = kRows<float>;
  const std::size_t d = usize(centres.columns),
                    padded = usize(padded_rows(static_cast<Index>(count)));
  Scratch scratch((d * size * sizeof(float)) / sizeof(double) + 1);
  float* const x = reinterpret_cast<float*>(scratch.data());
  for (std::size_t first = 0; first < count; first += size) {
    const X* taken[size];
    for (std::size_t i = 0; i < size; ++i) taken[i] = rows[std::min(first + i, count - 1)];
    take(centres, taken, x);
    Vector<float> sums[2];
    squares(x, d, sums);
    for (std::size_t v = 0; v < 2; ++v) {
      hn::StoreU(sums[v], tag, square + first + v * kLanes<float>);
    }
    for (std::size_t g = 0; g < usize(centres.groups); ++g) {
      const Place<float> place = place_of(centres, g);
      float* const out = values + place.number * padded + first;
      if (place.width == 6) store_group<float, 6>(place, x, d, padded, out);
      if (place.width == 5) store_group<float, 5>(place, x, d, padded, out);
      if (place.width == 4) store_group<float, 4>(place, x, d, padded, out);
    }
  }
}

void values_float(const TileCentres<float>& centres, const float* const* rows, std::size_t count,
                  float* values, float* square) {
  all_values(centres, rows, count, values, square);
}
void values_demoted(const TileCentres<float>& centres, const double* const* rows, std::size_t count,
                    float* values, float* square) {
  all_values(centres, rows, count, values, square);
}

void tiles_float(const TileCentres<float>& centres, std::size_t first, std::size_t last,
                 std::size_t all, const float* const* rows, std::size_t count,
                 const TileValues<float>& out) {
  tiles(centres, Parts{first, last, all}, rows, count, out);
}
void tiles_double(const TileCentres<double>& centres, std::size_t first, std::size_t last,
                  std::size_t all, const double* const* rows, std::size_t count,
                  const TileValues<double>& out) {
  tiles(centres, Parts{first, last, all}, rows, count, out);
}
void tiles_demoted(const TileCentres<float>& centres, std::size_t first, std::size_t last,
                   std::size_t all, const double* const* rows, std::size_t count,
                   const TileValues<float>& out) {
  tiles(centres, Parts{first, last, all}, rows, count, out);
}

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(tiles_float);
HWY_EXPORT(tiles_double);
HWY_EXPORT(tiles_demoted);
HWY_EXPORT(values_float);
HWY_EXPORT(values_demoted);

template <class T, class X>
void nearest_tiles(const TileCentres<T>& centres, Index first, Index last,
                   std::span<const X* const> rows, const TileValues<T>& out) {
  const bool whole = last == 0;
  const std::size_t from = usize(first), to = whole ? 1 : usize(last);
  const std::size_t all = whole ? 1 : usize(centres.parts);
  if constexpr (sizeof(T) == sizeof(double)) {
    HWY_DYNAMIC_DISPATCH(tiles_double)(centres, from, to, all, rows.data(), rows.size(), out);
  } else if constexpr (sizeof(X) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(tiles_float)(centres, from, to, all, rows.data(), rows.size(), out);
  } else {
    HWY_DYNAMIC_DISPATCH(tiles_demoted)(centres, from, to, all, rows.data(), rows.size(), out);
  }
}

template <class X>
void tile_values(const TileCentres<float>& centres, std::span<const X* const> rows, float* values,
                 float* square) {
  if constexpr (sizeof(X) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(values_float)(centres, rows.data(), rows.size(), values, square);
  } else {
    HWY_DYNAMIC_DISPATCH(values_demoted)(centres, rows.data(), rows.size(), values, square);
  }
}

using Floats = TileCentres<float>;
using Doubles = TileCentres<double>;
template void nearest_tiles(const Floats&, Index, Index, std::span<const float* const>,
                            const TileValues<float>&);
template void nearest_tiles(const Doubles&, Index, Index, std::span<const double* const>,
                            const TileValues<double>&);
template void nearest_tiles(const Floats&, Index, Index, std::span<const double* const>,
                            const TileValues<float>&);
template void tile_values(const Floats&, std::span<const float* const>, float*, float*);
template void tile_values(const Floats&, std::span<const double* const>, float*, float*);

}  // namespace craton
#endif
