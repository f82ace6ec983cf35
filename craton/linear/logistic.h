#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/linear/logistic_fit.h"
#include "craton/model/registry.h"

// Logistic regression, of two classes or many (softmax):
//
//   log p(class r | x) / p(class 0 | x) = g_r . (x - centre) + b_r       g_0 = 0, b_0 = 0
//
// fitted by greatest (penalised) likelihood: logistic_fit.h has the objective. The same model with
// coefficients that sum to 0 over the classes, beta_r = g_r - sum_s g_s / classes, is
//
//   p(class r | x) = exp(beta_r . x + c_r) / sum_s exp(beta_s . x + c_s)
//
// and linear_form() gives it. A class without rows is impossible.
//
// Errors are those of normal approximations at the estimate, with C the curvature of the objective:
//
//   model    C^-1: without a penalty the inverse information; with one, the covariance of the
//            Laplace approximation to the posterior
//   robust   C^-1 M C^-1, M = sum_i w_i r_i r_i' of what each row adds to the gradient (HC0)

namespace craton {

class LogisticRegression {
 public:
  static constexpr std::string_view kName = "logistic", kPythonName = "LogisticRegression";
  static constexpr std::string_view kHelp =
      "logistic and softmax regression, with errors of the coefficients";
  static constexpr std::string_view kObjective =
      "mean log p(label | row), and that of the prior of the coefficients";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true;
  static constexpr bool kCodesCategories = true;

  enum class Penalty { kL2, kNone, kFirth };
  enum class Errors { kAuto, kNone, kModel, kRobust };

  struct Options {
    Penalty penalty = Penalty::kL2;
    double alpha = 1;
    Array feature_alpha = {};  // one for each column; wins over alpha
    Array prior_mean = {};     // of the coefficients: of two classes, columns; of more, each one's
    Array prior_covariance = {};  // of columns, over alpha; instead of feature_alpha
    bool fit_intercept = true;
    Index max_iter = 100;
    double tol = 1e-10;
    Errors errors = Errors::kAuto;
  };

  static Fit<LogisticRegression> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<LogisticRegression> fit_from(const LogisticRegression& start, Source& x,
                                          const Options& options, const Exec& exec);

  Index columns() const { return centre_.rows(); }
  Index classes() const { return class_count_.rows(); }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  // Of logit p(label | row), by the covariance of the estimates, and so of p.
  void intervals(Source& x, double level, ResultTable& rows, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  Index row_work() const;
  std::int32_t predict_row(const double* row, double* work) const;
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  Index entries_work() const { return ssize(sparse_start_); }
  std::int32_t predict_entries(const Sparse<double>& row, double* work) const;
  bool predict_log_proba_entries(const Sparse<double>& row, double* work, double* out) const;
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  LinearForm linear_form() const;
  std::vector<Boundary> boundaries() const;
  Index free_parameters(const Options& options) const;

  void visit_parameters(ParameterVisitor& v) const;
  static LogisticRegression from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;

 private:
  // What was learned; places of fit_ and how_ in the order of files.
  enum { kLogLikelihood, kNullLogLikelihood, kScoreStatistic, kFitNumbers };
  enum { kErrorsOf, kFirth, kIntercept, kSeparated, kHowNumbers };

  LogisticRegression() = default;
  static Fit<LogisticRegression> learn(const LogisticRegression* start, Source& x,
                                       const Options& options, const Exec& exec);
  std::vector<double> theta_for(const LogisticTerms& terms) const;
  void set_theta(const LogisticTerms& terms, std::span<const double> theta);
  void set_score(const LogisticTerms& terms, const LogisticSums& at_null);
  bool set_covariance(const LogisticTerms& terms, std::span<const double> curvature,
                      std::span<const double> meat);
  void set_separation(const LogisticTerms& terms, const Separation& separation);
  void prepare();  // what predictions need, from the parameters

  Index forms() const { return odds_coef_.rows(); }
  Index terms() const { return columns() + (intercept() ? 1 : 0); }
  bool intercept() const { return how_.values[kIntercept] != 0; }
  bool firth() const { return how_.values[kFirth] != 0; }
  bool penalised() const;
  Errors errors() const { return static_cast<Errors>(how_.values[kErrorsOf]); }
  double weight() const;
  Index label_of(Index form) const;  // -1: that of the first class, 0, 1, ...
  double variance(Index form, Index term) const;
  double logit_variance(const double* row, const double* log_p, Index label) const;
  void scores(const Chunk& chunk, const Source& x, std::span<double> out) const;
  template <class T>
  void sparse_scores(const Sparse<T>& x, Index row, double* out) const;
  ResultTable coefficient_table(const Schema& schema, Index most) const;
  ResultTable fit_table() const;
  ResultTable objective_table() const;
  ResultTable separation_table(const Schema& schema) const;

  Array odds_coef_, odds_intercept_;    // g: forms x columns; b
  Array centre_, used_, alpha_;         // of each column; used: 0 where it was left out
  Array prior_mean_, prior_precision_;  // of contrasts; of columns: or empty
  Array class_count_;                   // the weight of the rows of each class
  Array fit_, how_, covariance_;        // covariance: of (g, b), form after form; or empty
  Array separation_;                    // a direction of (g, b): forms x terms; or empty
  std::vector<double> log_prior_;       // of each class: -inf where it has no rows
  // g by column for centred_scores(), padded, with a 0 for the first class; classes without rows
  // too.
  std::vector<double> weights_, start_, sparse_start_;
};

void describe(OptionVisitor& v, LogisticRegression::Options& o);

}  // namespace craton
