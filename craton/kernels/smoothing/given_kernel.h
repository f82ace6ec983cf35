#pragma once
#include <memory>
#include <span>
#include <vector>

#include "craton/base/random.h"
#include "craton/kernels/smoothing/kernel_sums.h"
#include "craton/kernels/smoothing/legendre_piece.h"

// Kernels that are given as functions: of one column, where k(u) has to be the same on both sides
// of 0, never below 0, and of integral one. The kernel of d columns is their product,
//
//   k(u_1) ... k(u_d) / (h_1 ... h_d),  u_j = (x_j - y_ij) / h_j.
//
// Nothing else is known of them: sums are over all points, and the functions are asked for values
// in blocks, by one thread. The error of a sum is that of rounding, its function taken as it is.

namespace craton {

class GivenKernel {
 public:
  virtual ~GivenKernel() = default;
  // k at each of u.
  virtual void values(std::span<const double> u, std::span<double> out) const = 0;
};

// A function that was looked at: halved where it is not smooth, out to 2^30 bandwidths.
class KernelTable {
 public:
  // InputError (kBadOption) for a function that is no kernel: with the integral found, or where it
  // is not the same on both sides, below 0 or no number. requires a kernel.
  explicit KernelTable(std::shared_ptr<const GivenKernel> kernel);

  void values(std::span<const double> u, std::span<double> out) const { kernel_->values(u, out); }
  const std::shared_ptr<const GivenKernel>& kernel() const { return kernel_; }
  double deviation() const { return deviation_; }  // infinite: it has none
  double tail(double u) const;                     // the integral from u >= 0 on
  double at(double u) const;                       // k, by what is known of it; u >= 0
  double draw(Random& random) const;

  // By which a kernel is known again: what it is at kKnownAt.
  static constexpr std::size_t kKnown = 33;
  static double known_at(std::size_t i) { return static_cast<double>(i) / 8; }
  const std::vector<double>& known() const { return known_; }

  // sum_i w_i prod_j k(u_ij) over all points. requires `columns` bandwidths and numbers.
  KernelSum sum(const double* x, std::span<const double> bandwidths, const Dense<double>& points,
                std::span<const double> weights) const;
  // The products of these points from the first on, as many as there are places.
  void products(const double* x, std::span<const double> bandwidths, const Dense<double>& points,
                Index first, std::span<double> out) const;

 private:
  LegendrePiece::Values values_of(const LegendrePiece& piece);
  void add(LegendrePiece piece, const LegendrePiece::Values& values, int halvings);

  std::shared_ptr<const GivenKernel> kernel_;
  std::vector<LegendrePiece> pieces_;  // over u >= 0
  std::vector<double> above_;          // the integral of the pieces behind each
  double total_ = 0, square_ = 0, deviation_ = 0;
  std::vector<double> known_;
};

}  // namespace craton
