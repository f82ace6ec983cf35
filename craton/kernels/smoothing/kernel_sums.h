#pragma once
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "craton/base/matrix.h"
#include "craton/kernels/smoothing/gaussian_cells.h"
#include "craton/kernels/smoothing/line_decays.h"
#include "craton/kernels/smoothing/line_moments.h"
#include "craton/kernels/smoothing/point_weights.h"
#include "craton/kernels/smoothing/smoothing_kernel.h"
#include "craton/kernels/smoothing/tensor_cells.h"
#include "craton/kernels/smoothing/tree_sums.h"

// Sums of kernels over points, with a bound of their error that is proved for each:
//
//   S(x) = sum_i w_i k(u_i),   u_i^2 = sum_j ((x_j - y_ij) / h_j)^2
//
// Differences are taken first, so an offset of the points costs no digits. With e = 2^-53, a
// squared distance is right to delta = (columns + 12) e, relative. What that does to the sum:
//
// - k = exp(-a), with a = u^2 / 2 or u: the error is at most delta sum_i p_i a_i where p_i is the
//   share of point i in S, and sum_i p_i a_i <= log(W / S) by Jensen's inequality, W = sum_i w_i.
//   (The logistic kernel lies between exp(-u) and 4 exp(-u).) Where S would vanish, the largest
//   term is divided out, so tails keep their logarithm.
// - kernels that end at u = 1: at most delta E with E = sum_i w_i sup |k'| u about u_i, summed
//   beside S. Where all points are near the end of their kernels delta E may be large beside S:
//   then 1 - u^2 is computed with 106 bits.
//
// Rounding of terms and sums adds (91 + points / 100) e at most. Whether a point
// lies inside a tophat is decided in double. A sum does not depend on what else is asked for.
//
// In one column sums are those of gaussian_cells.h, line_moments.h or line_decays.h where these
// prove enough; there is none of the kind for the logistic kernel, and points too far away are not
// visited. Gaussian ones of two and three columns are those of tensor_cells.h, where these do. In
// more columns points lie in the order of a tree, and sums are those of tree_sums.h. Of the points
// of S a share s is summed then, and what this says of exp(-a) is s log(W / (s S)), at most
// log(W / S) + 1.

namespace craton {

struct KernelSum {
  double log_sum = 0;  // log S; -inf where S is 0
  double error = 0;    // of S, relative
};

class KernelSums {
 public:
  // requires points whose first coordinates ascend, positive finite weights, or none where all are
  // 1, and bandwidths, one for each column. Where sums are made ready for a tolerance, it is this
  // one.
  KernelSums(SmoothingKernel kernel, std::span<const double> bandwidths,
             const Dense<double>& points, std::span<const double> weights, double rtol = 1e-8,
             RunTasks run = run_in_order);
  // The same in one column, of points and weights that it keeps.
  KernelSums(SmoothingKernel kernel, double bandwidth, std::vector<double> points,
             std::vector<double> weights, double rtol = 1e-8, RunTasks run = run_in_order);

  // The error is above rtol only where 106 bits are not enough. requires columns() finite numbers.
  KernelSum at(const double* x, double rtol) const { return at(x, rtol, columns()); }
  // The same by the first columns alone: sums over u_i of those.
  KernelSum at(const double* x, double rtol, Index first) const;

  SmoothingKernel kernel() const { return kernel_; }
  Index points() const { return points_; }
  Index columns() const { return std::ssize(ratios_); }
  double weight() const { return weight_; }  // W
  // What it was made of; points of more columns in another order.
  std::vector<double> rows() const;
  std::vector<double> weights() const;

 private:
  void prepare_line(RunTasks run);
  using Sums = TreeSums::Sum;  // S and E
  // What is asked for: a point, how many of its columns count, and the blocks whose points do.
  struct Query {
    const double* x;
    Index columns, first, last;
    double beyond;  // what is left out is at most exp(-beyond) a unit of weight
  };
  Query query(const double* x, double rtol, Index columns) const;
  void keep_within(double reach, Query& q) const;
  template <class Before>
  Index first_not(const Before& before) const;  // of the points, by their first coordinate
  double coordinate(Index point, Index column) const {
    return blocks_[usize((point / 8 * columns() + column) * 8 + point % 8)];
  }
  // Nodes of a tree may leave an error of `target`, relative, beside rounding.
  Sums sums(Query q, double shift, double target) const;
  double nearest(Query q) const;  // the least a
  double careful_sum(Query q) const;
  std::optional<KernelSum> fast_sum(const double* x, Index first) const;
  std::span<const double> line() const { return {blocks_.data(), usize(points_)}; }
  PointBlocks point_blocks() const { return {blocks_.data(), &weights_}; }
  KernelSum endless_sum(Query q, double rtol) const;
  KernelSum compact_sum(Query q, double rtol) const;
  // The squared distances to the points of some blocks, in units of unit_.
  void distances(Query q, Index first, Index last, double* out) const;

  SmoothingKernel kernel_;
  Index points_;
  double unit_;                               // h of the first column
  std::vector<double> ratios_, ratio_rests_;  // unit_ / h, and what that leaves of it
  std::vector<double> blocks_;  // point i, column j at [(i / 8 * columns + j) * 8 + i % 8]
  BlockWeights weights_;
  double weight_ = 0;
  std::optional<TreeSums> tree_;  // of more columns
  std::variant<std::monostate, GaussianCells, LineMoments, LineDecays, TensorCells> fast_;
};

}  // namespace craton
