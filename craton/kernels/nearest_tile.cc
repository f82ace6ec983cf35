#include "craton/kernels/nearest_tile.h"

#include <algorithm>
#include <limits>

// Between SSE2 and AVX2 nothing is gained, and each target costs compile time.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/nearest_tile.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// A tile of kRows x kVectors sums stays in registers while the columns go by: two loads and kRows
// broadcasts for kRows x kVectors multiplications. Cost: 2 n k d, near the CPU's peak for d >= 64.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, kPanelBytes / sizeof(T)>;
template <class T>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());

// What is known of a row so far, lane by lane: the least value, the second, the best one's vector.
template <class T>
constexpr std::size_t kStateSize = 3 * kLanes<T>;

template <std::size_t kRows>
HWY_INLINE void fetch(const Ahead& ahead, std::size_t first, std::size_t last) {
  constexpr std::size_t line = 64;
  if (ahead.rows == nullptr) return;
  for (std::size_t at = first * ahead.size; at < last * ahead.size; at += line) {
    for (std::size_t r = 0; r < kRows; ++r) {
      hwy::Prefetch(static_cast<const char*>(ahead.rows[r]) + at);
    }
  }
}

template <class T, std::size_t kRows, std::size_t kVectors>
HWY_INLINE void tile(const T* HWY_RESTRICT panel, std::size_t width, const T* HWY_RESTRICT norms,
                     std::size_t first_vector, const T* const* rows, std::size_t columns,
                     const Ahead& ahead, T* HWY_RESTRICT state) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = kLanes<T>;
  hn::Vec<Tag<T>> sum[kRows][kVectors];
  const T* x[kRows];
  for (std::size_t r = 0; r < kRows; ++r) x[r] = rows[r];
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::LoadU(tag, norms + v * lanes);
  }
  constexpr std::size_t step = 16;  // a line of floats
  for (std::size_t first = 0; first < columns; first += step) {
    fetch<kRows>(ahead, first, std::min(columns, first + step));
    for (std::size_t j = first; j < std::min(columns, first + step); ++j) {
      hn::Vec<Tag<T>> c[kVectors];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) {
        c[v] = hn::LoadU(tag, panel + j * width + v * lanes);
      }
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kRows; ++r) {
        const auto value = hn::Set(tag, x[r][j]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(value, c[v], sum[r][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r, state += kStateSize<T>) {
    auto best = hn::LoadU(tag, state), second = hn::LoadU(tag, state + lanes);
    auto which = hn::LoadU(tag, state + 2 * lanes);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto less = hn::Lt(sum[r][v], best);
      second = hn::Min(second, hn::Max(best, sum[r][v]));
      best = hn::Min(best, sum[r][v]);
      which = hn::IfThenElse(less, hn::Set(tag, static_cast<T>(first_vector + v)), which);
    }
    hn::StoreU(best, tag, state);
    hn::StoreU(second, tag, state + lanes);
    hn::StoreU(which, tag, state + 2 * lanes);
  }
}

// Over the lanes of what tile() keeps of a row.
template <class T>
HWY_INLINE Least<T> least_of(const T* HWY_RESTRICT state) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = kLanes<T>;
  const auto best = hn::LoadU(tag, state), second = hn::LoadU(tag, state + lanes);
  const auto least = hn::MinOfLanes(tag, best);
  const auto is_least = hn::Eq(best, least);
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const auto others =
      hn::MinOfLanes(tag, hn::Min(second, hn::IfThenElse(is_least, infinity, best)));
  const auto found = hn::FindFirstTrue(tag, is_least);
  if (found < 0) {  // no number among them: nothing is decided
    constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
    return {kNaN, kNaN, 0};
  }
  const auto lane = static_cast<std::size_t>(found);
  const bool tie = hn::CountTrue(tag, is_least) > 1;
  return {
      hn::GetLane(least), hn::GetLane(tie ? least : others),
      static_cast<std::int32_t>(static_cast<std::size_t>(state[2 * lanes + lane]) * lanes + lane)};
}

// Registers hold kRows x kVectors sums, kVectors centres and a value: 16 of them, or 32 of 64
// bytes.
template <class T, std::size_t kVectors>
constexpr std::size_t kRows = kLanes<T> * sizeof(T) == 64 ? 12
                              : kVectors <= 2             ? 6
                                                          : 3;

template <class T, std::size_t kVectors>
HWY_INLINE void panel_by_rows(const Panels<T>& panels, std::size_t first, std::size_t width,
                              const T* const* x, std::size_t count, Ahead ahead, T* state) {
  constexpr std::size_t rows = kRows<T, kVectors>;
  const std::size_t d = usize(panels.columns);
  for (std::size_t i = 0; i < count; i += rows) {
    tile<T, rows, kVectors>(panels.values + first * d, width, panels.norms + first,
                            first / kLanes<T>, x + i, d, ahead, state + i * kStateSize<T>);
    if (ahead.rows != nullptr) ahead.rows += rows;
  }
}

template <class T>
void tiles(const Panels<T>& panels, const T* const* x, std::size_t count, Ahead ahead, T* state,
           Least<T>* out) {
  constexpr std::size_t width = kPanelCentres<T>, vectors = width / kLanes<T>;
  constexpr std::size_t half = vectors > 1 ? vectors / 2 : 1;
  constexpr Tag<T> tag;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const std::size_t padded = (count + kTileRows - 1) / kTileRows * kTileRows;
  for (std::size_t i = 0; i < padded; ++i) {
    hn::StoreU(infinity, tag, state + i * kStateSize<T>);
    hn::StoreU(infinity, tag, state + i * kStateSize<T> + kLanes<T>);
    hn::StoreU(hn::Zero(tag), tag, state + i * kStateSize<T> + 2 * kLanes<T>);
  }
  const std::size_t k = usize(panels.centres);
  std::size_t first = 0;
  for (; first + width <= k; first += width) {
    panel_by_rows<T, vectors>(panels, first, width, x, count, ahead, state);
    ahead.rows = nullptr;
  }
  // A vector wider than half a panel takes in some of the next column: its norms are infinite.
  if (first < k) panel_by_rows<T, half>(panels, first, width / 2, x, count, ahead, state);
  for (std::size_t i = 0; i < count; ++i) out[i] = least_of(state + i * kStateSize<T>);
}

// One row, entry by entry: of each column that it has, a line of every panel.
template <class T>
Least<T> sparse(const Panels<T>& panels, const RowEntries<T>& row) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = kLanes<T>, width = kPanelCentres<T>;
  const std::size_t k = usize(panels.centres), d = usize(panels.columns);
  auto best = hn::Set(tag, std::numeric_limits<T>::infinity()), second = best;
  auto which = hn::Zero(tag);
  for (std::size_t first = 0; first < k; first += width) {
    const std::size_t stride = first + width <= k ? width : width / 2;
    for (std::size_t at = 0; at < stride; at += lanes) {
      auto even = hn::LoadU(tag, panels.norms + first + at), odd = hn::Zero(tag);
      const T* HWY_RESTRICT panel = panels.values + first * d + at;
      const auto line = [&](Index e) {
        return hn::LoadU(tag, panel + usize(row.columns[e]) * stride);
      };
      Index e = 0;
      for (; e + 2 <= row.count; e += 2) {
        even = hn::MulAdd(hn::Set(tag, row.values[e]), line(e), even);
        odd = hn::MulAdd(hn::Set(tag, row.values[e + 1]), line(e + 1), odd);
      }
      if (e < row.count) even = hn::MulAdd(hn::Set(tag, row.values[e]), line(e), even);
      const auto sum = hn::Add(even, odd);
      const auto vector = hn::Set(tag, static_cast<T>((first + at) / lanes));
      which = hn::IfThenElse(hn::Lt(sum, best), vector, which);
      second = hn::Min(second, hn::Max(best, sum));
      best = hn::Min(best, sum);
    }
  }
  T state[kStateSize<T>];
  hn::StoreU(best, tag, state);
  hn::StoreU(second, tag, state + lanes);
  hn::StoreU(which, tag, state + 2 * lanes);
  return least_of(state);
}

template <class T>
HWY_INLINE T norm_about(const T* HWY_RESTRICT row, const T* HWY_RESTRICT origin,
                        std::size_t columns) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = kLanes<T>;
  auto even = hn::Zero(tag), odd = hn::Zero(tag);
  std::size_t j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    const std::size_t next = j + lanes;
    const auto a = hn::Sub(hn::LoadU(tag, row + j), hn::LoadU(tag, origin + j));
    const auto b = hn::Sub(hn::LoadU(tag, row + next), hn::LoadU(tag, origin + next));
    even = hn::MulAdd(a, a, even);
    odd = hn::MulAdd(b, b, odd);
  }
  T norm = hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
  for (; j < columns; ++j) norm += (row[j] - origin[j]) * (row[j] - origin[j]);
  return norm;
}

template <class T>
HWY_INLINE void shifted(const T* HWY_RESTRICT row, const T* HWY_RESTRICT shift, T scale,
                        std::size_t columns, T* HWY_RESTRICT out) {
  constexpr Tag<T> tag;
  constexpr std::size_t lanes = kLanes<T>;
  const auto factor = hn::Set(tag, scale);
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    const auto value = hn::Sub(hn::LoadU(tag, row + j), hn::LoadU(tag, shift + j));
    hn::StoreU(hn::Mul(value, factor), tag, out + j);
  }
  for (; j < columns; ++j) out[j] = (row[j] - shift[j]) * scale;
}

// To float.
HWY_INLINE void demoted(const double* HWY_RESTRICT row, const float* HWY_RESTRICT shift,
                        double scale, std::size_t columns, float* HWY_RESTRICT out) {
  const hn::CappedTag<double, 8> tag;
  const hn::Rebind<float, decltype(tag)> half;
  const std::size_t lanes = hn::MaxLanes(tag);
  const auto factor = hn::Set(tag, scale);
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    auto value = hn::LoadU(tag, row + j);
    if (shift != nullptr) {
      value = hn::Mul(hn::Sub(value, hn::PromoteTo(tag, hn::LoadU(half, shift + j))), factor);
    }
    hn::StoreU(hn::DemoteTo(half, value), half, out + j);
  }
  for (; j < columns; ++j) {
    const double value = shift == nullptr ? row[j] : (row[j] - double{shift[j]}) * scale;
    out[j] = static_cast<float>(value);
  }
}

void all_demoted(const double* const* rows, std::size_t count, const float* shift, double scale,
                 std::size_t columns, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    demoted(rows[i], shift, scale, columns, out + i * columns);
  }
}

template <class T>
void all_norms(const T* const* rows, std::size_t count, const T* origin, std::size_t columns,
               T* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = norm_about(rows[i], origin, columns);
}

template <class T>
void all_shifted(const T* const* rows, std::size_t count, const T* shift, T scale,
                 std::size_t columns, T* out) {
  for (std::size_t i = 0; i < count; ++i) {
    shifted(rows[i], shift, scale, columns, out + i * columns);
  }
}

void norms_float(const float* const* rows, std::size_t count, const float* origin,
                 std::size_t columns, float* out) {
  all_norms(rows, count, origin, columns, out);
}
void norms_double(const double* const* rows, std::size_t count, const double* origin,
                  std::size_t columns, double* out) {
  all_norms(rows, count, origin, columns, out);
}
void shifted_float(const float* const* rows, std::size_t count, const float* shift, float scale,
                   std::size_t columns, float* out) {
  all_shifted(rows, count, shift, scale, columns, out);
}
void shifted_double(const double* const* rows, std::size_t count, const double* shift, double scale,
                    std::size_t columns, double* out) {
  all_shifted(rows, count, shift, scale, columns, out);
}
void tiles_float(const Panels<float>& panels, const float* const* x, std::size_t count, Ahead ahead,
                 float* state, Least<float>* out) {
  tiles(panels, x, count, ahead, state, out);
}
void tiles_double(const Panels<double>& panels, const double* const* x, std::size_t count,
                  Ahead ahead, double* state, Least<double>* out) {
  tiles(panels, x, count, ahead, state, out);
}
Least<float> sparse_float(const Panels<float>& panels, const RowEntries<float>& row) {
  return sparse(panels, row);
}
Least<double> sparse_double(const Panels<double>& panels, const RowEntries<double>& row) {
  return sparse(panels, row);
}
int roundings() { return HWY_NATIVE_FMA ? 1 : 2; }

}  // namespace craton::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace craton {

HWY_EXPORT(norms_float);
HWY_EXPORT(norms_double);
HWY_EXPORT(shifted_float);
HWY_EXPORT(shifted_double);
HWY_EXPORT(tiles_float);
HWY_EXPORT(tiles_double);
HWY_EXPORT(sparse_float);
HWY_EXPORT(sparse_double);
HWY_EXPORT(all_demoted);
HWY_EXPORT(roundings);

template <class T>
void squared_norms(std::span<const T* const> rows, const T* origin, Index columns, T* out) {
  const std::size_t d = usize(columns);
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(norms_float)(rows.data(), rows.size(), origin, d, out);
  } else {
    HWY_DYNAMIC_DISPATCH(norms_double)(rows.data(), rows.size(), origin, d, out);
  }
}

template <class T>
void shift_rows(std::span<const T* const> rows, const T* shift, T scale, Index columns, T* out) {
  const std::size_t d = usize(columns);
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(shifted_float)(rows.data(), rows.size(), shift, scale, d, out);
  } else {
    HWY_DYNAMIC_DISPATCH(shifted_double)(rows.data(), rows.size(), shift, scale, d, out);
  }
}

template <class T>
void nearest_tiles(const Panels<T>& panels, const T* const* rows, Index count, Ahead ahead,
                   T* state, Least<T>* out) {
  if constexpr (sizeof(T) == sizeof(float)) {
    HWY_DYNAMIC_DISPATCH(tiles_float)(panels, rows, usize(count), ahead, state, out);
  } else {
    HWY_DYNAMIC_DISPATCH(tiles_double)(panels, rows, usize(count), ahead, state, out);
  }
}

template <class T>
Least<T> nearest_sparse(const Panels<T>& panels, const RowEntries<T>& row) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return HWY_DYNAMIC_DISPATCH(sparse_float)(panels, row);
  } else {
    return HWY_DYNAMIC_DISPATCH(sparse_double)(panels, row);
  }
}

template Least<float> nearest_sparse(const Panels<float>&, const RowEntries<float>&);
template Least<double> nearest_sparse(const Panels<double>&, const RowEntries<double>&);
template void squared_norms(std::span<const float* const>, const float*, Index, float*);
template void squared_norms(std::span<const double* const>, const double*, Index, double*);
template void shift_rows(std::span<const float* const>, const float*, float, Index, float*);
template void shift_rows(std::span<const double* const>, const double*, double, Index, double*);
template void nearest_tiles(const Panels<float>&, const float* const*, Index, Ahead, float*,
                            Least<float>*);
template void nearest_tiles(const Panels<double>&, const double* const*, Index, Ahead, double*,
                            Least<double>*);

void demote_rows(std::span<const double* const> rows, const float* shift, double scale,
                 Index columns, float* out) {
  HWY_DYNAMIC_DISPATCH(all_demoted)(rows.data(), rows.size(), shift, scale, usize(columns), out);
}

int roundings_per_term() { return HWY_DYNAMIC_DISPATCH(roundings)(); }

}  // namespace craton
#endif
