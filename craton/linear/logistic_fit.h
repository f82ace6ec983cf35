#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/report.h"
#include "craton/linear/logistic_sums.h"
#include "craton/linear/newton.h"

// The coefficients of a softmax model (logistic_sums.h) that minimise
//
//   sum_i w_i loss_i + 1/2 sum_j alpha_j |beta_j - m_j|^2   a Gaussian prior: variance 1 / alpha_j
//                                                           or precision P: (beta - m)' P (beta -
//                                                           m)
//   sum_i w_i loss_i - 1/2 log det C                        Firth: Jeffreys' prior
//
// with C the curvature of the sum of losses. |beta_j|^2 is, of two classes, the square of the one
// coefficient of column j; of m > 2, sum_r beta_rj^2 of coefficients that sum to 0, which is
// sum_r g_r^2 - (sum_r g_r)^2 / m of the contrasts g_r = beta_r - beta_0 that theta holds. The
// intercept is free.
//
// D. Firth: "Bias reduction of maximum likelihood estimates", Biometrika 80, 1993.

namespace craton {

struct LogisticPenalty {
  std::vector<double> alpha;  // of each column; the diagonal of P
  bool firth = false;
  std::vector<double> precision = {};  // P, columns x columns; empty: it is diagonal
  std::vector<double> mean = {};       // of the contrasts, forms x columns; empty: 0

  // Of theta: in the units of the terms, and so that it can be squared; 0 for the intercept.
  double strength(const LogisticTerms& terms, Index term) const {
    return strength(terms, term, term);
  }
  double strength(const LogisticTerms& terms, Index term, Index other) const;
  // Theta less its mean.
  std::vector<double> gap(const LogisticTerms& terms, std::span<const double> theta) const;
  // P times what one form has, into `out`: terms numbers each.
  void times(const LogisticTerms& terms, std::span<const double> v, std::span<double> out) const;
};

// A direction in which the likelihood never falls: no finite coefficients have the greatest.
// A. Albert, J. Anderson: "On the existence of maximum likelihood estimates in logistic regression
// models", Biometrika 71, 1984.
struct Separation {
  enum class Kind { kNone, kComplete, kPartial } kind = Kind::kNone;
  std::vector<double> direction;  // theta: eta_y - eta_r >= 0 for every row and class, not all 0
};

// A direction without its parts, but the intercept's, below 1e-4 of the greatest: they are columns
// that it is not made of, up to rounding.
std::vector<double> main_parts(std::vector<double> direction, const LogisticTerms& terms);

class PenalisedLikelihood final : public SmoothFunction {
 public:
  PenalisedLikelihood(Source& x, const LogisticTerms& terms, const LogisticPenalty& penalty,
                      const Exec& exec);
  Index size() const override { return terms_.size(); }
  Evaluation at(std::span<const double> theta, Curvature wanted) override;
  bool stop(std::span<const double> theta, const Evaluation& now,
            std::span<const double> step) override;

  const Separation& separation() const { return separation_; }

 private:
  void add_penalty(std::span<const double> theta, Evaluation& result) const;
  void hold_left_out(std::vector<double>& curvature) const;

  Source& x_;
  const LogisticTerms& terms_;
  const LogisticPenalty& penalty_;
  Exec exec_;
  double margin_ = 0, top_ = 0;  // of the last evaluation
  bool free_ = false;            // some column is not penalised
  Separation separation_;
};

// Columns without a penalty that others give, up to rounding: each with those that give it. From
// the curvature of one form, terms x terms.
struct Dependence {
  Index column = 0;
  std::vector<Index> on;
};
std::vector<Dependence> find_dependent(std::span<const double> curvature,
                                       const LogisticTerms& terms, const LogisticPenalty& penalty);

// What the coefficients are without any column: shares of the classes, if there is an intercept.
std::vector<double> null_theta(const LogisticTerms& terms, std::span<const double> class_weight);

// Where to start: from a sample of the rows where there are many, else at null_theta.
std::vector<double> start_theta(Source& x, const LogisticTerms& terms,
                                const LogisticPenalty& penalty, std::vector<double> null,
                                const Exec& exec);

}  // namespace craton
