#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/discriminant/gaussian_scores.h"
#include "craton/model/abilities.h"

// Naive Bayes for numbers: given its class c, feature j of a row is Gaussian, whatever the others
// are:  p(x, c) = p(c) prod_j N(x_j | mu_cj, sigma_cj^2).
//
//   mu_cj       the mean of the feature over the rows of the class, by weight
//   sigma_cj^2  own: their variance (divided by n) + epsilon
//               shared: sum_c n_cj var_cj / sum_c n_cj + epsilon; given: known, nothing is added
//   epsilon     var_smoothing times the largest variance of a feature over all rows
//
// A missing value (NaN) is left out, of the estimates and of the product. With shared or given
// variances log p(c | x) is linear in x, and so are the borders between the classes.

namespace craton {

class ClassMoments;

class GaussianNB {
 public:
  static constexpr std::string_view kName = "gaussian-nb";
  static constexpr std::string_view kPythonName = "GaussianNB";
  static constexpr std::string_view kHelp = "naive Bayes classification of numbers";
  static constexpr std::string_view kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static const Usage kUsage;
  static constexpr bool kTakesSparse = true, kTakesMissing = true;

  enum class Variance { kOwn, kShared, kGiven };
  struct Options {
    double var_smoothing = 1e-9;
    Variance variance = Variance::kOwn;
    Array given_variance;  // one for each feature
    ClassPrior prior;
  };

  static Fit<GaussianNB> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<GaussianNB> partial_fit(const Fit<GaussianNB>& so_far, Source& x,
                                     const Options& options, const Exec& exec);
  static Fit<GaussianNB> unlearn(const Fit<GaussianNB>& so_far, Source& x, const Options& options,
                                 const Exec& exec);
  static Fit<GaussianNB> merge(const Fit<GaussianNB>& a, const Fit<GaussianNB>& b,
                               const Options& options);

  Index columns() const { return theta_.cols(); }
  Index classes() const { return theta_.rows(); }
  const Array& theta() const { return theta_; }          // the means, classes x columns
  const Array& variances() const { return variances_; }  // likewise, epsilon included
  std::span<const double> class_log_prior() const { return class_log_prior_.values; }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> out, const Exec& exec) const;  // log p(x)
  double score(Source& x, const Exec& exec) const;                               // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  Index row_work() const { return 2 * classes(); }
  std::int32_t predict_row(const double* row, double* work) const;  // registry.h
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  double score_row(const double* row, double* work) const;
  Sample sample(Index rows, std::uint64_t seed) const;  // with their classes
  Index free_parameters(const Options& options) const;

  // softmax_c(w_c . x + b_c) = p(c | x), when the classes share their variances: InputError
  // (kNotAble) otherwise. Predictions are made without it: b loses digits far from 0.
  LinearForm linear_form() const;
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  std::vector<Boundary> boundaries() const;  // gaussian_boundary.h

  void visit_parameters(ParameterVisitor& v) const;
  static GaussianNB from_parameters(const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  GaussianNB(Array class_log_prior, Array theta, Array variances, double epsilon);
  static Fit<GaussianNB> estimate(const ClassMoments& moments, const Options& options,
                                  const Schema& schema, std::vector<Note> notes);
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  Array class_log_prior_, theta_, variances_;
  double epsilon_ = 0;
  GaussianScores scores_;
};

void describe(OptionVisitor& v, GaussianNB::Options& o);

}  // namespace craton
