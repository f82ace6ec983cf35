#pragma once
#include <span>
#include <vector>

#include "craton/base/row_of.h"
#include "craton/base/source.h"
#include "craton/kernels/nearest_tile.h"

// The nearest of k centres to each row, ties to the lower:
//
//   argmin_c |x - c|^2,  as  argmin_c |c|^2 - 2 x.c
//
// with x and c about the mean s of the centres, by tiles of rows and centres (nearest_tile.h), in
// float, and in double for rows in double that float does not decide. The sums cancel, so a row
// counts as decided only when its second best value lies above the best by more than all roundings
// together,
//
//   2 (r d + 4) u (|c|_max^2 + 2 |c|_max |x|) + 8 (d + 8) u' (|x|^2 + |c|_max^2)
//
// (d columns; u, u' the unit roundoffs of the type used and of double; r = 1 with fused
// multiplication, else 2). The others are decided by squared_distances() of differences.h. So float
// data find what the same values in double find, on any CPU.
//
// Sparse rows stay about 0, while c is about s: |c|^2 + 2 s.c - 2 x.c. In the bound |x - s| + |s|
// takes the place of |x| then, and the largest | |c|^2 + 2 s.c | that of |c|_max^2.

namespace craton {

// How near a row's own centre and the others are: own at most, any other at least.
struct Reach {
  double own, other;
};

// The rows that will be asked for. Others are answered too, but take longer.
enum class RowKind { kFloats, kDoubles, kAny };
RowKind row_kind(Source& x);  // by its first row

class NearestCentres {
 public:
  NearestCentres() = default;
  // requires k x columns, finite. With `parts`, the centres are told apart in so many parts of near
  // ones, at most 64.
  explicit NearestCentres(const Array& centres, Index parts = 1, RowKind kind = RowKind::kAny);
  // The same parts and rows for centres that have moved.
  NearestCentres(const Array& centres, const NearestCentres& before);

  // labels[i] is the nearest to rows[i]: -1 when no distance is finite. reach, when it is asked
  // for, has room for as many.
  void find(std::span<const float* const> rows, std::int32_t* labels, Reach* reach) const;
  void find(std::span<const double* const> rows, std::int32_t* labels, Reach* reach) const;
  // Where the mean of the centres is long, each sparse row is made dense.
  void find(std::span<const RowEntries<float>> rows, std::int32_t* labels, Reach* reach) const;
  void find(std::span<const RowEntries<double>> rows, std::int32_t* labels, Reach* reach) const;

  // The same for dense rows whose nearest is known to lie in the parts that are `wanted` of them,
  // one bit each. others[i parts() + p], for those, is at most the distance from any centre of
  // part p that is not the nearest.
  void find_among(std::span<const float* const> rows, std::span<const std::uint64_t> wanted,
                  std::int32_t* labels, Reach* reach, double* others) const;
  void find_among(std::span<const double* const> rows, std::span<const std::uint64_t> wanted,
                  std::int32_t* labels, Reach* reach, double* others) const;

  Index parts() const { return floats_.parts; }
  std::vector<std::int32_t> part_of_centres() const;

  const Array& centres() const { return centres_; }
  const std::vector<double>& squared_norms() const { return squared_norms_; }  // |centre|^2

 private:
  template <class T>
  struct Packed {
    std::vector<T> values, norms;  // nearest_sparse.h; none: rows are to be made dense
    std::vector<T> origin;         // s
    double constant = 0;           // the largest | |c|^2 + 2 s.c |
    double longest = 0;            // |c|_max
    double offset = 0;             // |s|
    double roundings = 2;          // r
  };
  template <class T>
  Packed<T> pack(const std::vector<double>& mean) const;
  void pack_all(const std::vector<std::int32_t>& order, Index parts);
  // Rows of type X by tiles of type T. Those that are not decided go to `rest`.
  template <class T, class X>
  void find_in(const TileCentres<T>& centres, std::span<const X* const> rows, std::int32_t* labels,
               Reach* reach, std::vector<std::size_t>& rest) const;
  template <class T>
  void find_in(const Packed<T>& packed, std::span<const RowEntries<T>> rows, std::int32_t* labels,
               Reach* reach) const;
  template <class X>
  void find_in_parts(std::span<const X* const> rows, std::span<const std::uint64_t> wanted,
                     std::int32_t* labels, Reach* reach, double* others) const;
  template <class T>
  void find_directly(const T* row, std::int32_t& label, Reach* reach) const;

  RowKind kind_ = RowKind::kAny;
  Array centres_;
  std::vector<double> squared_norms_;
  TileCentres<float> floats_;
  TileCentres<double> doubles_;
  Packed<float> sparse_floats_;
  Packed<double> sparse_doubles_;
};

}  // namespace craton
