#include "craton/kernels/nearest_tile.h"

#include <algorithm>
#include <limits>

#include "craton/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/nearest_tile.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "craton/kernels/tile_rows.h"

// Lanes are rows: two vectors of rows, written column by column, meet a group of up to six centres
// at a time (twelve where there are 32 registers), whose sums stay in registers while the columns
// go by. Two loads and six broadcasts for twelve multiplications. The margin and the bounds need no
// work across lanes. Cost: 2 n k d, near the CPU's peak for d >= 64.
//
// To keep the least two of all centres, and which the first is, would take five instructions a
// centre: a third of the time when there are 16 columns. But the least value of each group and the
// least of each place in a group, two instructions a centre, say the same. The best is the least of
// its group and of its place; the second differs from it in one or the other, and is the least
// there:
//
//   second = min(the second of the groups' least, the second of the places' least).

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Centres of a group: two sums of each fit in the registers, beside two vectors of rows.
constexpr std::size_t kWide = kLanes<float> == 16 ? kMostWide : 6;
static_assert(kTileRows % kRows<float> == 0);

// Columns of a tile that fit beside the call.
constexpr std::size_t kFewColumns = 32;

// The least two of some values and the number of the first.
template <class T>
struct Least {
  Vector<T> best, second, which;
  HWY_INLINE void add(Vector<T> value, T number) {
    constexpr Tag<T> tag;
    const auto less = hn::Lt(value, best);
    second = hn::Min(second, hn::Max(best, value));
    best = hn::Min(best, value);
    which = hn::IfThenElse(less, hn::Set(tag, number), which);
  }
};
template <class T>
HWY_INLINE Least<T> nothing() {
  constexpr Tag<T> tag;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  return {infinity, infinity, hn::Zero(tag)};
}

// What is known of a tile's rows so far: of the groups, the least two, and the number of the first
// centre there; of each place in a group, the least. In memory: all registers belong to the sums.
template <class T>
struct Known {
  HWY_ALIGN T best[kRows<T>], second[kRows<T>], which[kRows<T>];
  HWY_ALIGN T places[kWide][kRows<T>];

  HWY_INLINE Least<T> groups(std::size_t v) const {
    constexpr Tag<T> tag;
    const std::size_t at = v * kLanes<T>;
    return {hn::Load(tag, best + at), hn::Load(tag, second + at), hn::Load(tag, which + at)};
  }
  HWY_INLINE void set_groups(const Least<T>& least, std::size_t v) {
    constexpr Tag<T> tag;
    const std::size_t at = v * kLanes<T>;
    hn::Store(least.best, tag, best + at);
    hn::Store(least.second, tag, second + at);
    hn::Store(least.which, tag, which + at);
  }
  HWY_INLINE void clear(std::size_t count) {
    constexpr Tag<T> tag;
    const Least<T> none = nothing<T>();
    for (std::size_t v = 0; v < 2; ++v) {
      set_groups(none, v);
      for (std::size_t c = 0; c < count; ++c) hn::Store(none.best, tag, places[c] + v * kLanes<T>);
    }
  }
};

// Rows that will be taken next, some of which a group asks memory for.
template <class X>
struct Ahead {
  static constexpr std::size_t kLine = 64 / sizeof(X);  // values of a line of memory
  const X* const* rows;
  std::size_t count;
};

// The values of a group of centres.
template <class T, std::size_t kWidth, class X>
HWY_INLINE void products(const T* HWY_RESTRICT values, const T* HWY_RESTRICT norms,
                         const T* HWY_RESTRICT x, std::size_t columns, const Ahead<X>& ahead,
                         Vector<T> (&sum)[kWidth][2]) {
  constexpr Tag<T> tag;
#pragma GCC unroll 12
  for (std::size_t c = 0; c < kWidth; ++c) sum[c][0] = sum[c][1] = hn::Set(tag, norms[c]);
  for (std::size_t first = 0; first < columns; first += ahead.kLine) {
    const std::size_t last = std::min(columns, first + ahead.kLine);
    for (std::size_t r = 0; r < ahead.count; ++r) hwy::Prefetch(ahead.rows[r] + first);
    for (std::size_t j = first; j < last; ++j) {
      const auto a = hn::LoadU(tag, x + j * kRows<T>);
      const auto b = hn::LoadU(tag, x + j * kRows<T> + kLanes<T>);
#pragma GCC unroll 12
      for (std::size_t c = 0; c < kWidth; ++c) {
        const auto value = hn::Set(tag, values[j * kWidth + c]);
        sum[c][0] = hn::MulAdd(value, a, sum[c][0]);
        sum[c][1] = hn::MulAdd(value, b, sum[c][1]);
      }
    }
  }
}

// In pairs, which do not wait for each other.
template <class T, std::size_t kFirst, std::size_t kCount>
HWY_INLINE Vector<T> least_of_some(const Vector<T> (*sum)[2], std::size_t v) {
  if constexpr (kCount == 1) {
    return sum[kFirst][v];
  } else {
    constexpr std::size_t kHalf = kCount / 2;
    return hn::Min(least_of_some<T, kFirst, kHalf>(sum, v),
                   least_of_some<T, kFirst + kHalf, kCount - kHalf>(sum, v));
  }
}

template <class T, std::size_t kWidth, class X>
HWY_INLINE void group(const T* HWY_RESTRICT values, const T* HWY_RESTRICT norms, std::size_t number,
                      const T* HWY_RESTRICT x, std::size_t columns, const Ahead<X>& ahead,
                      Known<T>& known) {
  constexpr Tag<T> tag;
  Vector<T> sum[kWidth][2];
  products<T, kWidth>(values, norms, x, columns, ahead, sum);
  const T from = static_cast<T>(static_cast<std::int32_t>(number));
#pragma GCC unroll 2
  for (std::size_t v = 0; v < 2; ++v) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kWidth; ++c) {
      T* const place = known.places[c] + v * kLanes<T>;
      hn::Store(hn::Min(hn::Load(tag, place), sum[c][v]), tag, place);
    }
    Least<T> groups = known.groups(v);
    groups.add(least_of_some<T, 0, kWidth>(sum, v), from);
    known.set_groups(groups, v);
  }
}

template <class T, std::size_t kWidth, class X>
HWY_INLINE void group_of(std::size_t width, const T* values, const T* norms, std::size_t number,
                         const T* x, std::size_t columns, const Ahead<X>& ahead, Known<T>& known) {
  if (width == kWidth) return group<T, kWidth>(values, norms, number, x, columns, ahead, known);
  if constexpr (kWidth > kLeastWide) {
    group_of<T, kWidth - 1>(width, values, norms, number, x, columns, ahead, known);
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
template <class T, class X>
HWY_INLINE void some_groups(const TileCentres<T>& centres, std::size_t first, std::size_t last,
                            const T* x, const Ahead<X>& next, Known<T>& known) {
  const std::size_t d = usize(centres.columns);
  const std::size_t share = (next.count + last - first - 1) / (last - first);
  Ahead<X> ahead = next;
  for (std::size_t g = first; g < last; ++g, ahead.rows += ahead.count) {
    const auto [values, norms, number, width] = place_of(centres, g);
    ahead.count = std::min(share, static_cast<std::size_t>(next.rows + next.count - ahead.rows));
    group_of<T, kWide>(width, values, norms, number, x, d, ahead, known);
  }
}

// The least two of the groups' and the places' values, v of two.
template <class T>
HWY_INLINE Least<T> least_of(const Known<T>& known, std::size_t places, std::size_t v) {
  constexpr Tag<T> tag;
  Least<T> of_places = nothing<T>(), result = known.groups(v);
  for (std::size_t c = 0; c < places; ++c) {
    of_places.add(hn::Load(tag, known.places[c] + v * kLanes<T>),
                  static_cast<T>(static_cast<std::int32_t>(c)));
  }
  result.second = hn::Min(result.second, of_places.second);
  result.which = hn::Add(result.which, of_places.which);
  return result;
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
  Room<T, kFewColumns * size> room(d * size);
  T* const x = room.data();
  const auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(rows[i]); };
  const std::uintptr_t stride = count > 1 ? address(1) - address(0) : 0;
  for (std::size_t first = 0; first < count; first += size) {
    // The rows of this tile and of the next one, as they lie in `rows` or made up at its end.
    const X *made[size], *made_later[size];
    const X *const *taken = rows + first, *const *next = taken + size;
    if (first + size > count) {
      for (std::size_t i = 0; i < size; ++i) made[i] = rows[std::min(first + i, count - 1)];
      taken = made;
    }
    if (first + 2 * size > count) {
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t later = first + size + i;
        made_later[i] = reinterpret_cast<const X*>(
            later < count ? address(later) : address(count - 1) + stride * (later - count + 1));
      }
      next = made_later;
    }
    take(centres, taken, x);
    Vector<T> square[2];
    squares(x, d, square);
    const std::size_t places = usize(centres.width) + (centres.wide > 0 ? 1 : 0);
    for (std::size_t part = first_part; part < last_part; ++part) {
      Known<T> known;
      known.clear(places);
      const Ahead<X> ahead{next, part == first_part ? size : 0};
      some_groups(centres, first_group(part), first_group(part + 1), x, ahead, known);
      for (std::size_t v = 0; v < 2; ++v) {
        const std::size_t at = first + v * kLanes<T>, to = (part - first_part) * padded + at;
        const Least<T> least = least_of(known, places, v);
        hn::StoreU(least.best, tag, out.best + to);
        hn::StoreU(least.second, tag, out.second + to);
        hn::StoreU(least.which, tag, out.which + to);
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
  products<T, kWidth>(place.values, place.norms, x, columns, Ahead<T>{nullptr, 0}, sum);
#pragma GCC unroll 12
  for (std::size_t c = 0; c < kWidth; ++c) {
    hn::StoreU(sum[c][0], tag, out + c * padded);
    hn::StoreU(sum[c][1], tag, out + c * padded + kLanes<T>);
  }
}

template <class T, std::size_t kWidth>
HWY_INLINE void store_group_of(const Place<T>& place, const T* x, std::size_t columns,
                               std::size_t padded, T* out) {
  if (place.width == kWidth) return store_group<T, kWidth>(place, x, columns, padded, out);
  if constexpr (kWidth > kLeastWide) {
    store_group_of<T, kWidth - 1>(place, x, columns, padded, out);
  }
}

template <class X>
HWY_INLINE void all_values(const TileCentres<float>& centres, const X* const* rows,
                           std::size_t count, float* values, float* square) {
  constexpr Tag<float> tag;
  constexpr std::size_t size = kRows<float>;
  const std::size_t d = usize(centres.columns),
                    padded = usize(padded_rows(static_cast<Index>(count)));
  Room<float, kFewColumns * size> room(d * size);
  float* const x = room.data();
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
      store_group_of<float, kWide>(place, x, d, padded, out);
    }
  }
}

std::size_t widest() { return kWide; }

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

HWY_EXPORT(widest);
HWY_EXPORT(tiles_float);
HWY_EXPORT(tiles_double);
HWY_EXPORT(tiles_demoted);
HWY_EXPORT(values_float);
HWY_EXPORT(values_demoted);

std::size_t widest_group() { return HWY_DYNAMIC_DISPATCH(widest)(); }

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
