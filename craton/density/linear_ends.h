#pragma once
#include <optional>
#include <vector>

#include "craton/base/function_ref.h"
#include "craton/density/support.h"
#include "craton/engine/exec.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/kernels/smoothing/legendre_piece.h"
#include "craton/tables/points.h"

// A density of one column that need not be level where the column ends. Near an end the kernel lies
// partly outside; at x it has the moments a_l, and the rows have the mean m, of u = (x - y) / h:
//
//   a_l = integral of u^l k(u) over the u within,  m = sum_i w_i u_i k(u_i) / sum_i w_i k(u_i).
//
// With the plain density f, f / a_0 is what is left of it (its bias is of order h), and a line that
// is fitted to the rows by the kernel, as kernel regression does, says r f / a_0,
//
//   r = a_0 (a_2 - a_1 m) / (a_0 a_2 - a_1^2),  p = f / a_0 exp(r - 1) / M
//
// (Jones, "Simple boundary correction for kernel density estimation", 1993; and with the
// exponential, which is positive where a line falls below 0, and whose bias is of order h^2 as
// well: Jones and Foster, "A simple nonnegative boundary correction method for kernel density
// estimation", 1996). M is the integral of all that, so that densities integrate to one. From 9
// bandwidths from all ends on (one of kernels that end) p = f / M.
//
// m is the distance of x from an end less the mean distance of the rows from it, two sums of
// kernels with proved errors; so the error of p M is proved. M is by quadrature, on pieces between
// which the density is smooth, of kernels that end up to the rounding of thousands of pieces.

namespace craton {

class LinearEnds {
 public:
  // Whether kernels go with it.
  static bool takes(SmoothingKernel kernel) {
    return is_compact(kernel) || kernel == SmoothingKernel::kGaussian;
  }

  // requires points of one column within the support, which is at least h wide, a kernel that goes
  // with it, and the sums of that kernel over the points, which are borrowed for the call.
  LinearEnds(SmoothingKernel kernel, double h, const Points& points, const ColumnSupport& support,
             const KernelSums& plain, const Exec& exec);

  // log S of p in place of f, for an x within.
  KernelSum sum(const KernelSums& plain, double x, double rtol) const;

  // What p is to f at x: log p / f = log_factor(x, m), and its slope by m.
  double mean(const KernelSums& plain, double x) const;  // m
  double log_factor(double x, double mean) const;
  double slope(double x) const;

  // Shares on either side of an x within, and h times the density, where `plain` has the share of f
  // between two numbers, and `plain_slope` h times f.
  struct Sides {
    double below, above, slope;
  };
  Sides sides(double x, FunctionRef<double(double, double)> plain,
              FunctionRef<double(double)> plain_slope) const;
  double mass() const { return mass_; }  // M

 private:
  struct Zone {
    std::vector<LegendrePiece> pieces = {};      // of the density; none: there is no zone
    std::vector<double> below = {}, above = {};  // shares of the pieces on either side of each
    double share = 0;
    Sides sides(double x) const;
  };
  struct Moments {
    double a0, a1, a2;
    double determinant() const { return a0 * a2 - a1 * a1; }
  };
  double from_low(double x) const { return (x - support_.low) / h_; }
  double from_high(double x) const { return (support_.high - x) / h_; }
  bool plain_at(double x) const;
  Moments moments(double x) const;
  double part_of_moment(int order, double end) const;
  KernelSum distances(double x, double rtol) const;  // from the end that is nearer
  Zone zone(double low, double high, const Points& points, const KernelSums& plain,
            const Exec& exec) const;

  SmoothingKernel kernel_;
  double h_, reach_, log_unit_;
  ColumnSupport support_;
  std::optional<KernelSums> low_sums_, high_sums_;  // of distances of rows from ends, in h
  double inner_low_, inner_high_;                   // between these p = f / M
  Zone low_, high_;
  double mass_ = 1;
};

}  // namespace craton
