#pragma once
#include <cmath>
#include <optional>
#include <vector>

#include "craton/density/adaptive_sums.h"
#include "craton/density/linear_ends.h"
#include "craton/density/matrix_units.h"
#include "craton/density/support.h"
#include "craton/engine/exec.h"
#include "craton/kernels/smoothing/given_kernel.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/tables/points.h"

// Kernels about rows, which are densities each, and their mean:
//
//   p(x) = 1 / W sum_i w_i K_i(x),   K_i(x) = k(u_i) / (c prod_j h_j),
//
// or of kernels with widths of their own (adaptive_sums.h) k(u_i / s_i) / (c s_i^d prod_j h_j),
// or with a bandwidth matrix H = L L' (matrix_units.h) u_i = |L^-1 (x - y_i)| and the product of
// L's diagonal. On a support (support.h) both are summed over the images of x, or p follows from
// them as linear_ends.h has it: to the first order K_i is then p k(u_i) / S (1 + r' (u_i - m)) W.
//
// How far p is from its expectation, over samples of rows like these, follows from the mean of
// squared kernels: with n rows, the sum of the weights, as these are copies,
//
//   se^2 = (1 / W sum_i w_i K_i(x)^2 - p(x)^2) / n.
//
// What p is without one copy of a row y_i that it has is
// (W p(y_i) - v K_i(y_i)) / (W - v), v = min(w_i, 1).
//
// Bounds of errors: those of kernel_sums.h, and with a matrix those of rows z in its units. Let x
// be within d of the exact one, and each row y within r |y| <= r (|x| + u). Then u is within D + r
// u, D = d + r |x|: log k is within D u + D^2 / 2 + r u^2 for the gaussian kernel, of which the
// mean over the shares of points is at most D sqrt(2 E) + D^2 / 2 + 2 r E, E = log(W / S) (as
// there, by Jensen's inequality), and within D + r u for the exponential and the logistic one; sums
// of kernels that end within (D + r) sup |k'| times the weight of the points inside, a sum of a
// tophat. Whether a point is that near to the end of its kernel is decided in double. Where that is
// more than what was asked for, as far out, kernels without an end are summed one by one, with
// differences of 106 bits.

namespace craton {

struct KernelShape {
  SmoothingKernel kernel = SmoothingKernel::kGaussian;
  std::vector<double> bandwidth = {};   // of each column: with a matrix, of its diagonal
  std::vector<double> factor = {};      // L, if there is a matrix
  std::vector<double> row_scales = {};  // s_i of each point, or none: all are 1
  double scale_of(Index row) const { return row_scales.empty() ? 1 : row_scales[usize(row)]; }
  std::vector<ColumnSupport> support = {};  // of each column, or none
  bool holds(const double* row) const;      // within the support

  // A function in place of `kernel` (given_kernel.h), and what files have of it: its standard
  // deviation, 0 for none, and values that it is known by. Files have no functions: a model that is
  // read back sleeps until it is given its own again.
  bool of_function = false;
  std::shared_ptr<const KernelTable> given = {};
  double given_deviation = 0;
  std::vector<double> given_known = {};
  double deviation() const;  // of a coordinate of the kernel at h = 1
};

// For a model that sleeps: InputError (kNotAble).
void need_function(const KernelShape& shape);

class RowKernels {
 public:
  // Made ready for a tolerance. requires a support that holds the points, and of which images() are
  // enough.
  RowKernels(KernelShape shape, Points points, double rtol, const Exec& exec);
  Points points() const;  // those it was made of

  SmoothingKernel kernel() const { return shape_.kernel; }
  Index columns() const { return std::ssize(shape_.bandwidth); }
  double weight() const {  // W
    return points_ ? weight_ : adaptive_ ? adaptive_->weight() : sums_->weight();
  }
  const KernelShape& shape() const { return shape_; }
  Index work() const { return 3 * columns(); }

  // log p(x) by the first columns alone, and the bound of its relative error. requires work()
  // places.
  KernelSum density(const double* x, double rtol, Index first, double* work) const;
  double log_kernel(const double* x, const double* row, double scale = 1) const;
  double log_peak() const;  // of a kernel at its row, without images
  // Those about all points, of a kernel that is a function; none of others.
  std::vector<double> log_kernels(const double* x) const;
  const LinearEnds* linear() const { return linear_ ? &*linear_ : nullptr; }
  const KernelSums& plain() const { return *sums_; }    // requires kernels of one width
  bool sound() const { return row_doubt_ < INFINITY; }  // else rows in units of the matrix overflow
  void draw(const double* row, double scale, Random& random, double* out) const;

  // As sums have them: points, and a point. requires 2 columns() places.
  Points placed(const Points& points) const;
  const double* placed(const double* x, double* work) const;

 private:
  double log_scale(Index first) const { return log_scales_[usize(first - 1)]; }
  void add_sums(std::vector<double> bandwidths, const Points& points, double rtol,
                const Exec& exec);
  double log_weight(Index first) const {
    return adaptive_ ? log_weights_[usize(first - 1)] : std::log(sums_->weight());
  }
  KernelSum sum(const double* x, double rtol, Index first, double* work) const;
  KernelSum sum_in_units(const double* x, double rtol, Index first, double* work) const;
  KernelSum careful_sum(const double* x, Index first) const;
  std::vector<double> widths(Index first) const;  // of points_
  template <class Use>
  void for_images(const double* x, Index first, double* image, const Use& use) const;
  double log_bound(const double* x, Index first) const;

  KernelShape shape_;
  std::optional<MatrixUnits> units_;
  double row_doubt_ = 0;
  std::optional<KernelSums> sums_, within_;  // within_: of a tophat, beside a matrix
  std::optional<AdaptiveSums> adaptive_;     // in place of these
  std::optional<Points> points_;             // of a function, likewise, in units of a matrix
  double weight_ = 0;
  std::optional<Points> rows_;        // where the sums have others
  std::vector<double> log_weights_;   // of those, by the first columns
  std::vector<double> log_scales_;    // -log(c prod_j h_j), of the first columns
  std::vector<Images> images_;        // of each column
  std::optional<LinearEnds> linear_;  // in place of these
  std::vector<double> low_, high_;    // ends of the points
};

// How many images a value of these columns has: InputError (kBadOption) where a support is much
// narrower than kernels, or the kernel or a matrix does not go with it.
void check_support(const KernelShape& shape, const Schema& schema);

// What needs sums that are not kept: made for a table of rows.
class RowSpread {
 public:
  // `rows` is n. Both others are borrowed.
  RowSpread(const RowKernels& kernels, const Points& points, double rows);

  // log(se / p) at x, where log p is given; NaN where p is 0.
  double log_relative_error(const double* x, double log_density) const;
  // log p(x) without one copy of the row that x is; NaN where it is none, or the only one.
  double left_out(const double* x, double log_density) const;

 private:
  double log_kernel_of(const double* x, Index row) const;
  double distance(double x, Index row) const;  // u, of one column
  double log_effect(double x, Index row, double mean) const;
  double linear_left_out(double x, Index own) const;
  double log_mean_square(const double* x) const;

  const RowKernels& kernels_;
  const Points& points_;
  double rows_;
  // The logarithm of W sum w K^2 / (sum w K)^2 at most: far away, where one row has all of it.
  double most_;
  std::vector<KernelSums> squares_;  // of kernels whose squares are kernels, or their difference
};

}  // namespace craton
