#pragma once
#include <span>

#include "craton/core/row_of.h"

// The inner loop of nearest.h: |c|^2 - 2 x.c for many rows x and centres c, and the least two of
// each row.

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

// Rows are taken in groups: pointers to rows come in multiples of kTileRows, any row as padding.
inline constexpr Index kTileRows = 12;

template <class T>
struct Least {
  T best, second;
  std::int32_t label;  // of the best; of equal ones, any
};

// What memory should bring meanwhile: for each row one that will be taken later, of values of so
// many bytes. Any address will do.
struct Ahead {
  const void* const* rows = nullptr;
  std::size_t size = 0;
};

// The least two of each of `count` rows; `state` has room for 3 x kPanelCentres<T> values a row,
// padding included.
template <class T>
void nearest_tiles(const Panels<T>& panels, const T* const* rows, Index count, Ahead ahead,
                   T* state, Least<T>* out);

// The same for one sparse row.
template <class T>
Least<T> nearest_sparse(const Panels<T>& panels, const RowEntries<T>& row);

// out = |row - origin|^2
template <class T>
void squared_norms(std::span<const T* const> rows, const T* origin, Index columns, T* out);

// out = (row - shift) scale, row after row
template <class T>
void shift_rows(std::span<const T* const> rows, const T* shift, T scale, Index columns, T* out);

// The same to float; out = row where there is no shift.
void demote_rows(std::span<const double* const> rows, const float* shift, double scale,
                 Index columns, float* out);

// Roundings of one multiplication and addition on this CPU: 1 when they are fused.
int roundings_per_term();

}  // namespace craton
