#pragma once
#include <optional>
#include <span>
#include <vector>

#include "craton/kernels/smoothing/smoothing_kernel.h"

// Sums of kernels that end, in one dimension, over sorted points, in a time that hardly grows with
// their number. Inside its end such a kernel is a polynomial in |u| of degree g (or a cosine), and
// for points z about the centre of a cell, with x at t about the same centre,
//
//   sum_i w_i k(t - z_i) = sum_s (-1)^s k^(s)(t) / s! sum_i w_i z_i^s.
//
// So the moments of all points of a cell up to every 16th are kept; a sum takes differences of
// these for the cells between the ends of the kernel, and the few points that lie between an end
// and the next of those 16ths one by one. Cells are as wide as a power of two between h / 2 and h,
// so that |z| <= 1/2 and |t| <= 3/2: with one origin for all points, an offset of the data would
// take all digits. Kernels that have a kink at u = 0 are summed on both sides by themselves.
//
// The error of a cell of weight W is at most (10 g + 20) 2^-53 W K(|t| + 1/2), where K is the
// polynomial with the absolute values of the coefficients.

namespace craton {

class LineMoments {
 public:
  // requires ascending points and a kernel that ends. No weights: all are 1.
  LineMoments(SmoothingKernel kernel, double h, std::span<const double> points,
              std::span<const double> weights);

  // The sum at x, and the proved bound of its error, absolute. Nothing: the line is so long that
  // its cells have no numbers. requires the points and weights of the constructor.
  struct Sum {
    double value = 0, error = 0;
  };
  std::optional<Sum> at(double x, std::span<const double> points,
                        std::span<const double> weights) const;

 private:
  static constexpr Index kStep = 16;
  static constexpr std::size_t kMost = 10;  // terms: of the tricube kernel
  void add_powers(double z, double weight, double* moments, double* rests) const;
  void add_moments(double t, bool right, const double* moments, double* value) const;
  double bound(double t) const;  // K
  double profile(double u) const;
  void add_points(double x, Index first, Index last, std::span<const double> points,
                  std::span<const double> weights, Sum& sum) const;
  void add_range(double x, bool right, Index first, Index last, std::span<const double> points,
                 std::span<const double> weights, Sum& sum) const;
  double centre(double y) const;

  SmoothingKernel kernel_;
  double h_, width_;
  std::vector<double> coefficients_;  // of k(u); of the cosine, what its two terms are at most
  std::vector<double> centres_, cell_weights_, totals_;  // of each cell; its moments
  std::vector<double> up_to_;   // of the cell of each 16th point: those of the points before
  std::vector<Index> cell_of_;  // that cell
};

}  // namespace craton
