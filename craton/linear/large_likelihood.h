#pragma once
#include <vector>

#include "craton/linear/lbfgs.h"
#include "craton/linear/logistic_fit.h"

// The penalised likelihood of logistic_fit.h for L-BFGS: of many columns, or classes. Its numbers
// are the coefficients beta of every class, about 0 for each term, which treat all classes alike;
// those of two classes are theta itself. The rough curvature is that of each class by itself,
//
//   B_c = sum_i w_i p_c (1 - p_c) z z' + alpha,   from a sample of the rows,
//
// as a matrix where columns are few enough, else its diagonal.

namespace craton {

class LargeLikelihood final : public LargeFunction {
 public:
  LargeLikelihood(Source& x, const LogisticTerms& terms, const LogisticPenalty& penalty,
                  const Exec& exec);
  Index size() const override { return forms_ * terms_.terms(); }
  Evaluation at(std::span<const double> beta) override;
  void learn_curvature(std::span<const double> beta) override;
  void precondition(std::span<double> v) const override;
  bool stop() override;

  std::vector<double> beta_of(std::span<const double> theta) const;
  std::vector<double> theta_of(std::span<const double> beta) const;
  const Separation& separation() const { return separation_; }

 private:
  Source& x_;
  const LogisticTerms& terms_;
  const LogisticPenalty& penalty_;
  Exec exec_;
  Index forms_;                               // of beta
  bool whole_;                                // matrices, not diagonals
  std::vector<std::vector<double>> inverse_;  // of each form: a lower factor, or a diagonal
  bool free_ = false;
  double margin_ = 0;
  std::vector<double> last_;  // theta of the last evaluation
  Separation separation_;
};

}  // namespace craton
