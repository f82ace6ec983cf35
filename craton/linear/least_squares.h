#pragma once
#include <span>
#include <vector>

#include "craton/linear/triangular_sums.h"

// Linear least squares with a Gaussian prior. Over rows x of weight w with targets y,
//
//   minimise  sum_i w_i (y_i - b0 - x_i b)^2 + alpha (b - m)' P (b - m)
//
// which is the most probable b under noise of variance sigma^2 and the prior N(m, S) where alpha P
// = sigma^2 S^-1: with S = I / lambda, ridge regression with alpha = lambda sigma^2. The intercept
// b0 has no prior unless that is asked for.
//
// Sums over rows are triangular factors (triangular_sums.h), and so is all that follows:
// conditions are not squared. Without a prior the rank is that of a QR decomposition with pivoting;
// where columns depend on each other, of all solutions that fit equally well the shortest b is
// taken, which is the limit of small alpha, and the dependences are told. More columns than rows
// are solved in the space of the rows (the dual), at a cost of rows^2 columns.

namespace craton {

enum class Intercept { kNone, kFree, kPenalised };  // penalised: as a coefficient, towards 0

struct CoefficientPrior {
  double alpha = 0;
  std::vector<double> precision = {};   // the diagonal of P, none negative; empty: all are 1
  std::vector<double> covariance = {};  // instead: P^-1, positive definite, d x d
  std::vector<double> mean = {};        // m; empty: all are 0

  bool flat() const { return alpha == 0; }
};

// What sums say of the coefficients, in the units of the sums (RowFrame):
//   minimise |q - A b|^2, with A = U D for the columns D of the problem, U'U = I.
struct ReducedProblem {
  Index rows = 0, cols = 0;
  std::vector<double> a, q;  // rows x cols; rows
  Intercept intercept = Intercept::kFree;
  std::vector<double> unit;  // of the columns; a penalised intercept is the first
  double target_unit = 1;
  // Where the intercept is free, the means of the columns, and last that of the target, are shift +
  // offset, in the units of the table: far from 0 a mean has more digits than a double.
  std::vector<double> shift, offset;
};
ReducedProblem reduced(const TriangularSums& sums, Intercept intercept);

// An upper triangular matrix, which often is a diagonal.
struct UpperRoot {
  Index size = 0;
  std::vector<double> values;  // the diagonal, or size x size

  bool diagonal() const { return std::ssize(values) == size; }
  double at(Index i, Index j) const {
    return !diagonal() ? values[usize(i * size + j)] : i == j ? values[usize(i)] : 0;
  }
  void solve(double* b) const;             // C x = b, in place
  void solve_transposed(double* b) const;  // C'x = b
};

// The prior in the same units: C with C'C = alpha P, and the mean. A free column has a row of
// zeros. InputError (kBadOption) for a prior that is none.
struct ReducedPrior {
  UpperRoot root;
  std::vector<double> mean;
};
ReducedPrior reduced(const CoefficientPrior& prior, const ReducedProblem& problem);

// sum_k times[k] x_(column k) of each row is x_column, but for a constant.
struct ColumnDependence {
  Index column = 0;
  std::vector<Index> columns = {};  // none: the column itself is constant (or 0)
  std::vector<double> times = {};
};

struct LeastSquares {
  double intercept = 0;
  std::vector<double> coefficients;
  Index rank = 0;  // of the columns, the intercept not counted
  std::vector<ColumnDependence>
      dependences;  // without a prior, if there are not more columns than rows
  // Sums of squares: of residuals; of targets about their mean, or about 0 without an intercept.
  double residual = 0, total = 0;
  double penalty = 0;    // alpha (b - m)'P(b - m)
  double effective = 0;  // degrees of freedom: the trace of y -> prediction, with the intercept's
};

LeastSquares solve(const TriangularSums& sums, Intercept intercept, const CoefficientPrior& prior);

// With a prior, b = m + C^-1 g for the bound columns, those that have one, and the free columns are
// solved for first: what is left is to minimise |right - a g|^2 + |g|^2.
struct StandardForm {
  std::vector<Index> free, bound;  // columns of the problem
  Index rank = 0;                  // of the free ones
  Index rows = 0;                  // that are left
  std::vector<double> a, right;    // rows x bound; rows
  UpperRoot root;                  // C of the bound columns
  std::vector<double> above;       // rank x (free + bound + 1): [R_ff R_fb q_f]
  std::vector<Index> order;        // of the free columns in it

  // The coefficients b of the problem (less m) for g.
  std::vector<double> coefficients(std::span<const double> g) const;
};
StandardForm standard_form(const ReducedProblem& problem, const ReducedPrior& prior);

// T with T T' = (X'WX + alpha P)^-1 in the units of the table, or its pseudo-inverse where columns
// depend on each other; X about the means where the intercept is free. `told`: coefficients that
// are the same in all solutions. Empty, and none told, for more columns than rows without a prior.
struct CoefficientRoot {
  std::vector<double> root;  // cols x rank
  Index rank = 0;
  std::vector<bool> told;
  double condition = 1;  // of the columns X, each of length 1; infinite when they depend
};
CoefficientRoot coefficient_root(const ReducedProblem& problem, const CoefficientPrior& prior);

// mean of y - mean of x b, to the last digit.
double intercept_of(const ReducedProblem& problem, std::span<const double> coefficients);

}  // namespace craton
