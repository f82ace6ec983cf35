#pragma once
#include <string_view>

#include "craton/linear/linear_model.h"

// Least squares: the number of a row is
//
//   y = b . x + a,   with b and a such that  sum w (y - b . x - a)^2  is least,
//
// a = 0 without fit_intercept. Where columns are linear combinations of others, many b fit equally
// well: the shortest is taken, and a note names the combinations. least_squares.h says how, and
// inference.h what errors, t and p are. Gauss, "Theoria combinationis observationum erroribus
// minimis obnoxiae", 1823.

namespace craton {

class LinearRegression : public LinearModel {
 public:
  static constexpr std::string_view kName = "linear", kPythonName = "LinearRegression";
  static constexpr std::string_view kHelp = "linear regression by least squares";
  static constexpr std::string_view kObjective = "minus the mean squared residual";
  static constexpr TargetKind kTarget = TargetKind::kNumber;
  static constexpr ScoreKind kScore = ScoreKind::kR2;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;
  static constexpr bool kCodesCategories = true;

  struct Options {
    bool fit_intercept = true;
    bool precise = false;
    WeightKind weight_kind = WeightKind::kCopies;
    ErrorsOf errors = ErrorsOf::kModel;
  };

  static Fit<LinearRegression> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<LinearRegression> partial_fit(const Fit<LinearRegression>& so_far, Source& x,
                                           const Options& options, const Exec& exec);
  static Fit<LinearRegression> merge(const Fit<LinearRegression>& a, const Fit<LinearRegression>& b,
                                     const Options& options);
  static LinearRegression from_parameters(const ParameterList& parameters);

 private:
  explicit LinearRegression(LinearModel model) : LinearModel(std::move(model)) {}
  explicit LinearRegression(const ParameterList& parameters) : LinearModel(parameters) {}
  static Fit<LinearRegression> fitted(Learned learned);
};

void describe(OptionVisitor& v, LinearRegression::Options& o);

}  // namespace craton
