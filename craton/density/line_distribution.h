#pragma once
#include <span>
#include <vector>

#include "craton/density/linear_ends.h"
#include "craton/density/support.h"
#include "craton/kernels/smoothing/given_kernel.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "craton/tables/points.h"

// The distribution function of a kernel density estimate of one column, and its inverse:
//
//   F(x) = 1 / W sum_i w_i K((x - y_i) / h),   K(u) = integral of the kernel up to u.
//
// With T(s), s = -|u|, for what a kernel has beyond its point's distance from x, points z
// bandwidths beside the middle c of a cell that is narrow and wholly on one side of x are
//
//   sum_i w_i T(s_c + z_i) = sum_b T^(b)(s_c) / b! sum_i w_i z_i^b,
//
// so that F costs the cells around x, and the points of those that hold x or an end of its kernel.
// On a support (support.h) F is what lies between the images of its lower end and those of x.
// What lies below x and what lies above are summed by themselves: small tails keep their digits.

namespace craton {

class LineDistribution {
 public:
  // requires one column of ascending rows, within the support. With scales of the bandwidths of
  // points there are no cells: every point is visited.
  // With linear ends, which are borrowed, it is theirs; of a kernel that is a function, likewise,
  // every point is visited, too.
  LineDistribution(SmoothingKernel kernel, double h, const Points& points,
                   const ColumnSupport& support = {}, std::vector<double> scales = {},
                   const LinearEnds* linear = nullptr, const KernelTable* given = nullptr);

  // Shares of the distribution on either side of x, and h times the density there.
  struct Sides {
    double below = 0, above = 0, slope = 0;
  };
  Sides at(double x) const;

  double cdf(double x) const;
  double share(double low, double high) const;  // between two numbers, without a support
  // The least x of which F is p, to rounding. requires 0 < p < 1.
  double quantile(double p) const;

 private:
  static constexpr std::size_t kTerms = 11;
  struct Cell {
    double middle = 0;
    Index first = 0, last = 0;  // of its points
    double moments[kTerms] = {};
  };
  // What points on one side of x have beyond it.
  struct Tail {
    double sum = 0, slope = 0;
  };
  Sides unfolded(double x) const;
  void add_points(double x, Index first, Index last, Tail& left, Tail& right) const;
  void add_cell(double x, const Cell& cell, Tail& left, Tail& right) const;
  Sides sides(double x, const Tail& left, const Tail& right) const;

  SmoothingKernel kernel_;
  const LinearEnds* linear_;
  const KernelTable* given_;
  ColumnSupport support_;
  Images images_;
  double h_, width_ = 0;
  std::vector<double> scales_, points_, weights_,
      up_to_;                // up_to_: the weight of the points before each
  std::vector<Cell> cells_;  // none: the line is so long that they have no numbers
};

}  // namespace craton
