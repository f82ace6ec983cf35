#pragma once
#include <span>
#include <vector>

#include "craton/core/row_of.h"
#include "craton/kernels/nearest_tile.h"

// The nearest of k centres to each row, ties to the lower:
//
//   argmin_c |x - c|^2,  as  argmin_c |c|^2 - 2 x.c
//
// by tiles of rows and centres (nearest_tile.h), in float, and in double for rows in double that
// float does not decide. With c taken about
// the mean s of the centres it is |c|^2 + 2 s.c - 2 x.c; where s is long, x is taken about it too.
// The sums cancel, so a row counts as decided only when its second best value lies above the best
// by more than all roundings together,
//
//   2 (r d + 4) u (m + 2 |c|_max (|x - s| + |s|)) + 8 (d + 8) u' (|x - s|^2 + |c|_max^2)
//
// (d columns; m the largest | |c|^2 + 2 s.c |; u, u' the unit roundoffs of the type used and of
// double; r = 1 with fused multiplication, else 2). The others are decided by squared_distances()
// of differences.h. So float data find what the same values in double find, on any CPU.

namespace craton {

class NearestCentres {
 public:
  NearestCentres() = default;
  explicit NearestCentres(const Array& centres);  // requires k x columns, finite

  // labels[i] is the nearest to rows[i]: -1 when no distance is finite. second[i], when it is asked
  // for, is at most the distance from any other centre.
  void find(std::span<const float* const> rows, std::int32_t* labels, double* second) const;
  void find(std::span<const double* const> rows, std::int32_t* labels, double* second) const;
  // Sparse rows are never shifted. When the mean of the centres is long, each is made dense
  // instead.
  void find(std::span<const RowEntries<float>> rows, std::int32_t* labels, double* second) const;
  void find(std::span<const RowEntries<double>> rows, std::int32_t* labels, double* second) const;

  const Array& centres() const { return centres_; }
  const std::vector<double>& squared_norms() const { return squared_norms_; }  // |centre|^2

 private:
  template <class T>
  struct Packed {
    std::vector<T> values, norms;
    std::vector<T> shift;   // of the rows; none: they are taken as they are
    T scale = 1;            // of the rows, with a shift: a power of two
    std::vector<T> origin;  // s above, after the shift
    double constant = 0;    // m
    double longest = 0;     // |c|_max
    double offset = 0;      // |s|
    double roundings = 2;   // r
  };
  template <class T>
  Packed<T> pack(const std::vector<double>& mean) const;
  // Rows of type X by tiles of type T. Those that are not decided go to `rest`, or are decided
  // directly when there is none.
  template <class T, class X>
  void find_in(const Packed<T>& packed, std::span<const X* const> rows, std::int32_t* labels,
               double* second, std::vector<std::size_t>* rest = nullptr) const;
  template <class T>
  void find_in(const Packed<T>& packed, std::span<const RowEntries<T>> rows, std::int32_t* labels,
               double* second) const;
  template <class T>
  void find_directly(const T* row, std::int32_t& label, double* second) const;

  Array centres_;
  std::vector<double> squared_norms_;
  Packed<float> floats_;
  Packed<double> doubles_;
};

}  // namespace craton
