#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "craton/linear/inference.h"
#include "craton/model/registry.h"

// What linear, ridge and ridge-cv are once they are fitted: the number of a row is b . x + a; and
// what the rows told of b and a (inference.h).

namespace craton {

// How it is to be fitted (least_squares.h).
struct LinearTask {
  Intercept intercept = Intercept::kFree;
  CoefficientPrior prior = {};
  bool precise = false;
  WeightKind weights = WeightKind::kCopies;
  ErrorsOf errors = ErrorsOf::kModel;
};

void describe_errors(OptionVisitor& v, ErrorsOf& errors);

class LinearModel {
 public:
  Index columns() const { return std::ssize(coef_.values); }
  std::span<const double> coef() const { return coef_.values; }
  double intercept() const { return intercept_; }
  FitStatistics summary() const;
  // Errors, t, p and intervals; the intercept, if there is one, is the first. None for so many
  // columns that their covariance would fill the memory.
  std::optional<CoefficientTable> inference(double level) const;

  void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const;
  Index row_work() const { return 0; }
  double predict_number_row(const double* row, double* work) const;
  void intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const;
  LinearForm linear_form() const;
  // Adds the leverage; of rows with targets, the residual and Cook's distance too.
  void diagnose(Source& x, ResultTable& rows, const Exec& exec) const;

  void visit_parameters(ParameterVisitor& v) const;
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;

 protected:
  LinearModel() = default;
  explicit LinearModel(const ParameterList& parameters);  // checks everything

  struct Summed {
    RegressionColumns columns;
    TriangularSums sums;
  };
  struct Learned;
  // Sums of rows; a fit to them; one to these and those of a model; one to those of two models.
  static Summed sum_rows(Source& x, Intercept intercept, const Exec& exec);
  static Learned learn(const Summed& summed, Source& x, const LinearTask& task, const Exec& exec);
  static Learned learn_on(std::span<const Parameter> memory, const FitReport& so_far, Index columns,
                          Source& x, const LinearTask& task, const Exec& exec);
  static Learned learn_merged(std::span<const Parameter> a, std::span<const Parameter> b,
                              const FitReport& report_a, const FitReport& report_b, Index columns,
                              const LinearTask& task);

 private:
  static Learned learned(const TriangularSums& sums, const LeastSquares& fit,
                         std::span<const double> inverse, const LinearTask& task,
                         const Schema& schema, std::uint64_t hash);
  void set_robust(Source& x, const TriangularSums& sums, const LeastSquares& fit,
                  const LinearTask& task, const Exec& exec);
  double leverage_at(const double* row) const;  // z (Z'WZ)^-1 z'
  // Of the mean number of rows like this; sigma^2 is the variance of the noise.
  double variance_at(const double* row, double sigma) const;
  std::optional<WaldTest> joint_test() const;  // are all coefficients 0? None: not to be told

  Array coef_;
  double intercept_ = 0;
  bool has_intercept_ = true, prior_ = false;
  FitSums sums_;
  Array means_;     // of the columns; 0 without a free intercept
  Array inverse_;   // (X'WX + alpha P)^-1 about them, d x d; empty: not known
  Array sampling_;  // that times X'WX times that, with a prior
  ErrorsOf errors_ = ErrorsOf::kModel;
  Array robust_;                    // V of them, the intercept, at the means, first; or empty
  std::vector<std::int32_t> told_;  // 1: the rows tell this coefficient
};

struct LinearModel::Learned {
  LinearModel model;
  FitReport report;
  std::vector<Parameter> memory;
};

}  // namespace craton
