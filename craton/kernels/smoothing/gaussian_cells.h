#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/run_tasks.h"

// Sums of Gaussian kernels in one dimension in constant time, by the fast Gauss transform
// (Greengard and Strain 1991) over cells, with an error that is proved for each sum:
//
//   S(x) = sum_i w_i G((x - y_i) / h),   G(u) = exp(-u^2 / 2)
//
// The line is cut into cells of one width, a power of two between h / 2 and h, so that centres of
// cells and what lies between them are exact. With points z about the centre of their cell, x at t
// about that of its own, and the centres D apart, in units of h, G(D + t - z) is the series of
// gaussian_series.h, so that a cell is its moments sum_i w_i z_i^b / b!, and the sum over all cells
// around is one polynomial in t. The bound of what the series leaves out, rounding, and the weight
// of the cells that are left out, are summed for each cell that has a polynomial: those with enough
// points around to be worth one. Cells are sorted, so that a point far away is one.

namespace craton {

class GaussianCells {
 public:
  // requires ascending points. No weights: all are 1.
  GaussianCells(double h, std::span<const double> points, std::span<const double> weights,
                RunTasks run = run_in_order);

  // S(x) and the proved bound of its error, absolute. Nothing: few points are near, or the line is
  // so long that its cells have no numbers.
  struct Sum {
    double value, error;
  };
  std::optional<Sum> at(double x) const;
  // sum_i w_i G^(n)((x - y_i) / h) for n <= 6, to about 1e-7 of its largest terms.
  std::optional<double> derivative(double x, int n) const;

 private:
  static constexpr std::size_t kOrder = 20;
  struct Local {
    double coefficients[kOrder];
    double error;
  };

  const Local* local_at(double x, double& t) const;  // t: of x, about the centre of its cell

  double h_, width_;
  std::vector<double> cells_;  // numbers of those that have a polynomial, ascending
  std::vector<Local> locals_;
};

}  // namespace craton
