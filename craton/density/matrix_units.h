#pragma once
#include <vector>

#include "craton/kernels/double_double.h"
#include "craton/tables/points.h"

// Rows in units of a bandwidth matrix H = L L', L lower triangular:
//
//   z = L^-1 (x - c),   so that  |z(x) - z(y)|^2 = (x - y)' H^-1 (x - y),
//
// by substitution from the first column on, so that the first coordinates of z are those of the
// first columns alone. c is among the rows: an offset of the data costs no digits.

namespace craton {

class MatrixUnits {
 public:
  // requires a positive diagonal.
  MatrixUnits(std::vector<double> lower, std::vector<double> centre)
      : lower_(std::move(lower)), centre_(std::move(centre)) {}

  Index columns() const { return std::ssize(centre_); }
  const std::vector<double>& lower() const { return lower_; }

  // z, and a bound of its distance from the exact one; infinite where z overflows. requires twice
  // as many places as there are columns.
  double apply(const double* x, double* z) const;
  // All of them, and how large such bounds are beside |z|, at most.
  Points apply(const Points& points, double& relative_doubt) const;
  double length(const double* z) const;
  // |L^-1 (x - y)|^2 by the first columns, with 106 bits: c is in no difference. The bound is of
  // the distance of L^-1 (x - y) from the exact one. requires four places for each column.
  struct Square {
    DoubleDouble square;
    double doubt;
  };
  Square careful_square(const double* x, const double* y, Index first, double* work) const;
  // L u, for a draw.
  void turn(const double* u, double* out) const;

 private:
  std::vector<double> lower_, centre_;
};

}  // namespace craton
