#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/base/run_tasks.h"
#include "craton/kernels/smoothing/cell_table.h"

// Sums of Gaussian kernels in two and three columns in constant time, by the fast Gauss transform
// over cells as in gaussian_cells.h, one column after the other:
//
//   S(x) = sum_i w_i prod_j G((x_j - y_ij) / h_j),   G(u) = exp(-u^2 / 2)
//
// Cells have sides of about one bandwidth. A cell is its moments sum_i w_i prod_j z_ij^b_j / b_j!,
// b_j < p, and by the series of gaussian_series.h in each column the sum over all cells around is
// one polynomial in t, where x lies about the centre of its cell,
//
//   S(x) ~ sum_a prod_j t_j^a_j / a_j! sum_cells sum_b M_b prod_j (-1)^b_j G^(a_j+b_j)(D_j),
//
// which is found by sums over b_1 and the cells of a line along the first column, then b_2, ...
//
// The error. Let f_j = exp(-u_j^2 / 4), u_j the least distance in column j between two cells, and e
// what series_rest() gives. Each factor G_j <= f_j is replaced by one within e f_j, so the product
// is within ((1 + e)^d - 1) prod_j f_j. The terms of all series add up to at most prod_j q f_j, q =
// series_terms(), and rounding is so many 2^-53 of that. So sum_i w_i prod_j f_j, which is summed
// for each cell as the polynomials are, bounds both. Points whose cell is further away in a column
// than it reaches are left out: at most exp(-reach^2 / 2) of all weights.
//
// The order p and the side of cells are chosen by rtol. Only cells with enough points to be worth
// one have a polynomial: so many that the work is a constant for each point, and that all take no
// more than three times the memory of the points. Cells are found by hashing, so that a point far
// away is one.

namespace craton {

class TensorCells {
 public:
  // requires two or three columns, points whose first coordinates ascend, and 0 < rtol < 1. Sums
  // are within rtol where there are points enough.
  TensorCells(std::span<const double> bandwidths, const Dense<double>& points,
              std::span<const double> weights, double rtol, RunTasks run);

  // S(x) and the proved bound of its error, absolute. Nothing: few points are near.
  struct Sum {
    double value, error;
  };
  std::optional<Sum> at(const double* x) const;

  Index polynomials() const { return table_.size(); }

 private:
  class Builder;

  std::optional<CellKey> cell_of(const double* x) const;
  void offsets(const double* x, const CellKey& cell, double* out) const;

  std::size_t order_ = 0, tensor_ = 0;                       // p, p^d
  std::vector<double> bandwidths_, per_bandwidth_, widths_;  // h, 1 / h, and sides of cells
  CellTable table_;                                          // of cells that have a polynomial
  std::vector<double> coefficients_, errors_;
};

}  // namespace craton
