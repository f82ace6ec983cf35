#pragma once
#include "craton/base/row_of.h"

// The inner loop of nearest.h for sparse rows: |c|^2 - 2 x.c for one row x and many centres c, and
// the least two.

namespace craton {

// Centres as columns of panels. A panel is kPanelBytes wide; the last one may be half as wide.
// Padding has norms of +infinity.
inline constexpr Index kPanelBytes = 64;
template <class T>
inline constexpr Index kPanelCentres = kPanelBytes / Index{sizeof(T)};

template <class T>
struct Panels {
  const T* values;  // panel after panel, each columns x width: -2 c; half a panel more to read
  const T* norms;   // |c|^2; half a panel more of padding
  Index centres;    // with padding: a multiple of half a panel
  Index columns;
};

template <class T>
struct Least {
  T best, second;
  std::int32_t label;  // of the best; of equal ones, any
};

template <class T>
Least<T> nearest_sparse(const Panels<T>& panels, const RowEntries<T>& row);

// Roundings of one multiplication and addition on this CPU: 1 when they are fused.
int roundings_per_term();

}  // namespace craton
