#pragma once
#include <string_view>
#include <vector>

#include "craton/linear/linear_model.h"
#include "craton/linear/ridge_path.h"

// Ridge regression (ridge.h) with the alpha, of several, that predicts best the rows that are left
// out, one after the other with all copies that its weight stands for; or that has the least
// generalised cross-validation. All alphas cost one decomposition and one more look at the rows
// (ridge_path.h). alpha = 0, least squares, may be among them.

namespace craton {

class RidgeCV : public LinearModel {
 public:
  static constexpr std::string_view kName = "ridge-cv", kPythonName = "RidgeCV";
  static constexpr std::string_view kHelp =
      "ridge regression with the strength that predicts left-out rows best";
  static constexpr std::string_view kObjective =
      "minus the squared residuals and the penalty, over the weight of the rows";
  static constexpr TargetKind kTarget = TargetKind::kNumber;
  static constexpr ScoreKind kScore = ScoreKind::kR2;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;
  static constexpr bool kCodesCategories = true;

  enum class Criterion { kLeaveOneOut, kGcv };
  struct Options {
    Array alphas = {};  // empty: 13 from 0.001 to 1000
    bool fit_intercept = true;
    Criterion criterion = Criterion::kLeaveOneOut;
    WeightKind weight_kind = WeightKind::kCopies;
    ErrorsOf errors = ErrorsOf::kModel;
    Array precision = {}, prior_mean = {};
  };

  static Fit<RidgeCV> fit(Source& x, const Options& options, const Exec& exec);
  static RidgeCV from_parameters(const ParameterList& parameters);

  double alpha() const { return alpha_; }
  void visit_parameters(ParameterVisitor& v) const;
  void check_memory(std::span<const Parameter> memory) const = delete;
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;  // the coefficients on the path
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;

 private:
  explicit RidgeCV(LinearModel model) : LinearModel(std::move(model)) {}
  explicit RidgeCV(const ParameterList& parameters) : LinearModel(parameters) {}
  ResultTable path_table() const;

  double alpha_ = 0;
  Array alphas_, leave_one_out_, gcv_, effective_;  // of each alpha; infinite scores are -1
  Array path_;                                      // alphas x columns: their coefficients
};

void describe(OptionVisitor& v, RidgeCV::Options& o);

}  // namespace craton
