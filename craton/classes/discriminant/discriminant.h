#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/discriminant/class_covariances.h"
#include "craton/classes/discriminant/gaussian_boundary.h"
#include "craton/classes/discriminant/gaussian_classes.h"
#include "craton/classes/model_kind.h"

// Gaussian discriminant analysis: the rows of class c are N(mu_c, Sigma_c).
//
//   linear     one Sigma for all classes: log p(c | x) is linear in x up to a shared term, and the
//              borders between classes are planes
//   quadratic  a Sigma_c for each: the borders are quadrics
//
// mu_c is the mean of the rows of the class, and Sigma = sum_c S_c / n, Sigma_c = S_c / n_c of the
// scatter S_c = sum (x - mu_c)(x - mu_c)' about it, unless an option has it otherwise
// (class_covariances.h). From sums in one pass; models learn on, merge and unlearn rows.
//
// Fisher's axes (Rao, "The utilization of multiple measurements in problems of biological
// classification", J. Royal Statistical Society B 10, 1948) are the directions v in which the class
// means lie furthest apart beside the rows within a class: B v = l Sigma v, v' Sigma v = 1, with
// B = sum_c p(c) (mu_c - m)(mu_c - m)'. transform() gives (x - m) . v.

namespace craton {

enum class DiscriminantKind { kLinear, kQuadratic };

struct DiscriminantOptions {
  CovarianceRule covariance;
  double tol = 1e-4;       // squared: correlations with an eigenvalue below this are singular
  Index n_components = 0;  // of linear: axes of transform(); 0: all
  ClassPrior prior;
};
void describe(OptionVisitor& v, DiscriminantKind kind, DiscriminantOptions& o);  // the kind's own

class Discriminant {
 public:
  using Options = DiscriminantOptions;
  static constexpr std::string_view kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static constexpr bool kTakesMissing = true;  // of diagonal and spherical covariances

  static Fit<Discriminant> fit(DiscriminantKind kind, Source& x, const Options& options,
                               const Exec& exec);
  // From the sums over the rows so far, whose kind the model has.
  static Fit<Discriminant> partial_fit(FitOf<Discriminant> so_far, Source& x,
                                       const Options& options, const Exec& exec);
  static Fit<Discriminant> unlearn(FitOf<Discriminant> so_far, Source& x, const Options& options,
                                   const Exec& exec);
  static Fit<Discriminant> merge(FitOf<Discriminant> a, FitOf<Discriminant> b,
                                 const Options& options);

  DiscriminantKind kind() const { return kind_; }
  Index columns() const { return gaussians_.columns(); }
  Index classes() const { return gaussians_.classes(); }
  const GaussianClasses& gaussians() const { return gaussians_; }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const;  // log p(x)
  double score(Source& x, const Exec& exec) const;                               // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  Index row_work() const { return gaussians_.row_work() + classes(); }
  std::int32_t predict_row(const double* row, double* work) const;  // registry.h
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  double score_row(const double* row, double* work) const;
  Sample sample(Index rows, std::uint64_t seed) const { return gaussians_.sample(rows, seed); }
  Index free_parameters(const Options& options) const;
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;

  std::vector<Boundary> boundaries() const { return find_boundaries(gaussians_); }

  // Of linear. softmax_c(w_c . x + b_c) = p(c | x); predictions are made without it, as b loses
  // digits far from 0.
  LinearForm linear_form() const { return gaussians_.linear_form(); }
  // Of linear: each row on Fisher's axes.
  Index outputs() const { return scalings_.cols(); }
  void transform(Source& x, std::span<double> out, const Exec& exec) const;

  void visit_parameters(ParameterVisitor& v) const;
  static Discriminant from_parameters(DiscriminantKind kind, const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  Discriminant(DiscriminantKind kind, GaussianClasses gaussians, double tol, Index n_components);
  bool linear() const { return kind_ == DiscriminantKind::kLinear; }
  // Sums is ClassScatter of full covariances, ClassMoments of the others.
  template <class Sums>
  static Fit<Discriminant> estimate(DiscriminantKind kind, const Sums& sums, const Options& options,
                                    const Schema& schema, std::vector<Note> notes);

  DiscriminantKind kind_;
  GaussianClasses gaussians_;
  double tol_;
  Array scalings_, explained_variance_ratio_;  // of linear: the axes, columns x outputs
};

struct LinearDiscriminantAnalysis
    : ModelKind<LinearDiscriminantAnalysis, Discriminant, DiscriminantKind::kLinear> {
  static constexpr std::string_view kName = "linear-discriminant";
  static constexpr std::string_view kPythonName = "LinearDiscriminantAnalysis";
  static constexpr std::string_view kHelp = "classification by Gaussians of one covariance";
  static const Usage kUsage;
};

struct QuadraticDiscriminantAnalysis
    : ModelKind<QuadraticDiscriminantAnalysis, Discriminant, DiscriminantKind::kQuadratic> {
  static constexpr std::string_view kName = "quadratic-discriminant";
  static constexpr std::string_view kPythonName = "QuadraticDiscriminantAnalysis";
  static constexpr std::string_view kHelp =
      "classification by Gaussians, each with its own covariance";
  static const Usage kUsage;

  LinearForm linear_form() const = delete;
  void transform(Source& x, std::span<double> out, const Exec& exec) const = delete;
};

}  // namespace craton
