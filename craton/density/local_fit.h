#pragma once
#include <span>
#include <vector>

#include "craton/engine/exec.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "craton/tables/points.h"

// The number at x by the rows y_i around it, of numbers t_i and weights w_i: with the shares
//
//   p_i = w_i k(u_i) / sum_j w_j k(u_j),   u_i^2 = sum_j ((x_j - y_ij) / h_j)^2
//
// it is a constant or a line that fits them best,
//
//   degree 0   m(x) = sum_i p_i t_i                                      (Nadaraya 1964, Watson
//   1964) degree 1   the a of the least sum_i p_i (t_i - a - b . (y_i - x))^2  (Cleveland 1979)
//
// which is sum_i l_i t_i in either case, with sum_i l_i = 1. Where rows do not tell b in some
// direction, the shortest b is taken. Where no row is inside of its kernel, kernels are as wide as
// it takes to reach the nearest rows, and these have equal shares. Exponents are relative to the
// greatest, so that x may lie far away.
//
// With weights as copies of rows, and the variance s^2 of what is around x, m has the variance
// s^2 / n with n = 1 / sum_i l_i^2 / w_i, the number of rows that it rests on.

namespace craton {

// One for each thread: it has room for a number for each row.
class LocalFit {
 public:
  // requires points whose last column is the number, and bandwidths of the others. Borrows both.
  LocalFit(const Points& points, SmoothingKernel kernel, std::span<const double> bandwidths,
           Index degree);

  // False: squares of distances overflow. `left_out`: without one copy of this row, or all of it
  // where its weight is less.
  bool look_from(const double* x, Index left_out = -1);

  bool outside() const { return outside_; }  // no row was inside of its kernel
  bool empty() const { return near_.empty(); }
  double value();  // m
  struct Spread {
    double rows = 0;   // n
    double error = 0;  // sqrt(s^2 / n); NaN where one row cannot tell
  };
  Spread spread();

 private:
  Index columns() const { return points_.columns - 1; }
  double number(Index row) const { return points_.view().row(row)[columns()]; }
  void find_kernels(double least);
  void weigh_line();

  const Points& points_;
  SmoothingKernel kernel_;
  std::span<const double> bandwidths_;
  Index degree_;
  const double* x_ = nullptr;
  bool outside_ = false;
  std::vector<double> squares_;  // u^2 of each row, then k
  std::vector<double> weights_;  // without what is left out
  std::vector<Index> near_;      // rows with a share
  std::vector<double> shares_;   // p
  std::vector<double> leading_;  // l
};

// How far the numbers of rows are from what the others say: the mean of (t_i - m_-i(y_i))^2 over
// some rows, evenly spaced, by weight. O(rows x those).
double error_left_out(const Points& points, SmoothingKernel kernel,
                      std::span<const double> bandwidths, Index degree, Index some,
                      const Exec& exec);

}  // namespace craton
