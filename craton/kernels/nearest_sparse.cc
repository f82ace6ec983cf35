#include "craton/kernels/nearest_sparse.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "craton/kernels/nearest_sparse.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Lanes are centres. Cost: 2 k multiplications and additions for each entry.

HWY_BEFORE_NAMESPACE();
namespace craton::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::CappedTag<T, kPanelBytes / sizeof(T)>;
template <class T>
constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>());

// What is known of a row, lane by lane: the least value, the second, the best one's vector.
template <class T>
constexpr std::size_t kStateSize = 3 * kLanes<T>;

// Over the lanes of what is known of a row.
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

HWY_EXPORT(sparse_float);
HWY_EXPORT(sparse_double);
HWY_EXPORT(roundings);

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

int roundings_per_term() { return HWY_DYNAMIC_DISPATCH(roundings)(); }

}  // namespace craton
#endif
