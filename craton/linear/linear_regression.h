#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "craton/model/registry.h"

// Least squares: the number of a row is
//
//   y = b . x + a,   with b and a such that  sum w (y - b . x - a)^2  is least,
//
// a = 0 without fit_intercept. Where columns are linear combinations of others many b do as well:
// the one of least |b| is taken, and a note names such columns. A column that does not change has
// the coefficient 0 beside an intercept. Gauss, "Theoria combinationis
// observationum erroribus minimis obnoxiae", 1823.

namespace craton {

class CentredSums;

class LinearRegression {
 public:
  static constexpr std::string_view kName = "linear", kPythonName = "LinearRegression";
  static constexpr std::string_view kHelp = "linear regression by least squares";
  static constexpr std::string_view kObjective = "minus the mean squared residual";
  static constexpr TargetKind kTarget = TargetKind::kNumber;
  static constexpr ScoreKind kScore = ScoreKind::kR2;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;

  struct Options {
    bool fit_intercept = true;
  };

  static Fit<LinearRegression> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<LinearRegression> partial_fit(const Fit<LinearRegression>& so_far, Source& x,
                                           const Options& options, const Exec& exec);
  static Fit<LinearRegression> merge(const Fit<LinearRegression>& a, const Fit<LinearRegression>& b,
                                     const Options& options);

  Index columns() const { return ssize(coef_.values); }
  std::span<const double> coef() const { return coef_.values; }
  double intercept() const { return intercept_; }

  void predict_numbers(Source& x, std::span<double> out, const Exec& exec) const;
  Index row_work() const { return 0; }
  double predict_number_row(const double* row, double* work) const;
  LinearForm linear_form() const;

  void visit_parameters(ParameterVisitor& v) const;
  static LinearRegression from_parameters(const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;

 private:
  LinearRegression(Array coef, double intercept);
  static Fit<LinearRegression> estimate(const CentredSums& sums, const Options& options,
                                        const Schema& schema);

  Array coef_;  // b
  double intercept_;
};

void describe(OptionVisitor& v, LinearRegression::Options& o);

}  // namespace craton
