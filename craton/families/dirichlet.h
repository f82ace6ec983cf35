#pragma once
#include <span>
#include <vector>

#include "craton/base/bytes.h"
#include "craton/base/random.h"

namespace craton {

// sum w log(x_k / c_k), sum w (x_k - c_k) and sum w (x_k - c_k)^2 of points of the simplex, about
// the first of them.
struct SimplexMoments {
  double weight = 0;
  std::vector<double> centre, log_sum, sum, square;

  void add(std::span<const double> x, double w = 1);  // requires x > 0
  void merge(const SimplexMoments& next);
  void subtract(const SimplexMoments& other);
  void write(Writer& writer) const;
  void read(Reader& reader);

 private:
  void add_moved(const SimplexMoments& other, double sign);
};

// p(x) = Gamma(A) / prod Gamma(alpha_k) prod x_k^(alpha_k - 1) on the simplex, A = sum alpha. A
// view: alpha belongs to the caller.
struct Dirichlet {
  std::span<const double> alpha;

  // Newton's method with the Hessian's inverse in closed form (Minka, "Estimating a Dirichlet
  // distribution", 2000). Of equal points, A is kMost.
  static std::vector<double> estimate(const SimplexMoments& seen);
  static constexpr double kMost = 1e30;

  bool valid() const;
  // -inf off the open simplex; that x sums to 1 is taken for granted to 1e-9.
  double log_density(std::span<const double> x) const;
  std::vector<double> mean() const;
  std::vector<double> covariance() const;  // row-major
  double entropy() const;
  void sample(Random& random, std::span<double> x) const;
  std::vector<double> standard_errors(double weight) const;

  // eta = alpha, T = log x, A = sum log Gamma(alpha_k) - log Gamma(A), h = 1 / prod x_k.
  double log_partition() const;

 private:
  double total() const;
};

}  // namespace craton
