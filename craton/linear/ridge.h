#pragma once
#include <string_view>

#include "craton/linear/linear_model.h"

// Ridge regression: least squares with a Gaussian prior of the coefficients,
//
//   sum w (y - b . x - a)^2 + alpha (b - m)' P (b - m)  is least,
//
// P = I unless the features have a `precision` each, or a `prior_covariance` P^-1; m = 0 unless
// `prior_mean` says otherwise. With noise of variance sigma^2 and a prior of precision lambda,
// alpha = lambda sigma^2 gives the most probable b. Errors are those of the posterior
// (inference.h). Hoerl and Kennard, "Ridge regression", Technometrics 12, 1970.

namespace craton {

class Ridge : public LinearModel {
 public:
  static constexpr std::string_view kName = "ridge", kPythonName = "Ridge";
  static constexpr std::string_view kHelp = "linear regression with a Gaussian prior";
  static constexpr std::string_view kObjective =
      "minus the squared residuals and the penalty, over the weight of the rows";
  static constexpr TargetKind kTarget = TargetKind::kNumber;
  static constexpr ScoreKind kScore = ScoreKind::kR2;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;
  static constexpr bool kCodesCategories = true;

  struct Options {
    double alpha = 1;
    bool fit_intercept = true;
    bool penalise_intercept = false;
    bool precise = false;
    WeightKind weight_kind = WeightKind::kCopies;
    ErrorsOf errors = ErrorsOf::kModel;
    Array precision = {}, prior_mean = {}, prior_covariance = {};
  };

  static Fit<Ridge> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<Ridge> partial_fit(const Fit<Ridge>& so_far, Source& x, const Options& options,
                                const Exec& exec);
  static Fit<Ridge> merge(const Fit<Ridge>& a, const Fit<Ridge>& b, const Options& options);
  static Ridge from_parameters(const ParameterList& parameters);

 private:
  explicit Ridge(LinearModel model) : LinearModel(std::move(model)) {}
  explicit Ridge(const ParameterList& parameters) : LinearModel(parameters) {}
  static Fit<Ridge> fitted(Learned learned);
};

void describe(OptionVisitor& v, Ridge::Options& o);

}  // namespace craton
