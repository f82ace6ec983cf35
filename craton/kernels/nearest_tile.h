#pragma once
#include <span>
#include <utility>
#include <vector>

#include "craton/base/matrix.h"

// The inner loop of nearest.h for dense rows: the least two of |c|^2 - 2 x.c over all centres c,
// for many rows x, both taken about a shift and times a scale; and whether they are far enough
// apart to decide.

namespace craton {

// Centres of a group at least, and at most on any CPU and on this one.
inline constexpr std::size_t kLeastWide = 4, kMostWide = 12;
std::size_t widest_group();

template <class T>
struct TileCentres {
  TileCentres() = default;
  // requires a finite shift of `centres.cols()` values and a power of two; `longest` is at least
  // the length of every (c - shift) scale. `order` has every centre once: those of a part lie
  // together.
  TileCentres(const Array& centres, std::vector<T> shift, double scale, double longest,
              std::vector<std::int32_t> order, Index parts);

  // The places in `order` of part p; and all of them, with padding.
  std::pair<Index, Index> places(Index p) const;
  Index places() const { return groups * width + wide; }

  Index columns = 0;
  // The centres in `wide` groups of width + 1 and then others of width, each column by column. Part
  // p is made of groups [p groups / parts, (p + 1) groups / parts).
  Index groups = 0, wide = 0, width = 0, parts = 1;
  std::vector<T> values;            // -2 c
  std::vector<T> norms;             // |c|^2; infinite for padding
  std::vector<std::int32_t> order;  // which centre lies where
  bool in_order = true;
  std::vector<T> shift;
  double scale = 1;
  // The best is the nearest beyond doubt when the second lies above it by more than
  // constant + |x| (linear + |x| quadratic), all roundings together (nearest.h).
  double constant = 0, linear = 0, quadratic = 0;
  double longest = 0;
};

// About the mean, to the power of two that makes the longest about 1.
template <class T>
TileCentres<T> tile_centres(const Array& centres, const std::vector<double>& mean,
                            std::vector<std::int32_t> order, Index parts);

// The longest centre about `origin`, and the length of that; overflow and underflow do no harm.
template <class T>
std::pair<double, double> lengths(const Array& centres, const std::vector<T>& about);

std::vector<double> mean_of_rows(const Array& rows);
template <class T>
std::vector<T> rounded(const std::vector<double>& values);  // no infinity

// Values of rows come in arrays with room for a multiple of this.
inline constexpr Index kTileRows = 32;
constexpr Index padded_rows(Index count) { return (count + kTileRows - 1) / kTileRows * kTileRows; }

// The least two of some rows and the place of the first in `order`, part after part; and |x|^2.
template <class T>
struct TileValues {
  T *best, *second, *which, *square;
};

// X is T, or double for T = float. Memory is asked meanwhile for what lies as far behind the last
// row as the rows do from each other: any address will do. Parts [first, last); all centres as one
// part when last is 0.
template <class T, class X>
void nearest_tiles(const TileCentres<T>& centres, Index first, Index last,
                   std::span<const X* const> rows, const TileValues<T>& out);

// All of them, place after place, a multiple of kTileRows apart; and |x|^2.
template <class X>
void tile_values(const TileCentres<float>& centres, std::span<const X* const> rows, float* values,
                 float* square);

// From the least two over all centres: `own`, unless it is null, is at least the distance from the
// best, `other` at most that from the second, in units of 1 / scale; -1 takes the place of `which`
// where they do not decide.
template <class T>
void decide_rows(const TileCentres<T>& centres, Index count, const TileValues<T>& least, T* own,
                 T* other);

// The centres that lie at these places: -1 for none. How many are none.
template <class T>
std::size_t labels_of(const TileCentres<T>& centres, Index count, const T* which,
                      std::int32_t* labels);

// At most the distances that some values mean.
template <class T>
void lower_distances(const TileCentres<T>& centres, Index count, const T* values, const T* square,
                     T* out);

}  // namespace craton
