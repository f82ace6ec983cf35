#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/calibration.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/counts/count_scores.h"
#include "craton/classes/counts/feature_sums.h"
#include "craton/classes/model_kind.h"
#include "craton/classes/semi_supervised.h"
#include "craton/model/abilities.h"

// Naive Bayes for counts. All three kinds learn from the sums N_cj of feature j over the rows of
// class c, and score a row by a linear form of it, w_c . x + b_c:
//
//   multinomial  log p(x, c) = log p(c) + sum_j x_j log p_cj + a term without c
//                p_cj = (N_cj + alpha_j) / sum_i (N_ci + alpha_i)
//   Bernoulli    x_j is 1 or 0: p_cj = (N_cj + alpha_j) / (N_c + 2 alpha_j)
//                log p(x, c) = log p(c) + sum_j x_j log p_cj + (1 - x_j) log (1 - p_cj)
//   complement   w_cj = -log of the share of feature j in all classes but c; no prior (Rennie,
//                Shih, Teevan, Karger, "Tackling the poor assumptions of naive Bayes", ICML 2003)
//
// alpha = 0 is the share of the counts itself, never clipped: what was never seen is impossible.
// alpha_j = m p_j is the m-estimate.

namespace craton {

enum class CountKind { kMultinomial, kBernoulli, kComplement };

struct CountOptions {
  CountSmoothing smoothing;
  ClassPrior prior;
  double binarize = 0;  // of Bernoulli: 1 stands for values above this
  SemiSupervised semi;  // of multinomial and Bernoulli
  Calibrate calibrate = Calibrate::kNone;
  bool norm = false;  // of complement: the weights of a class are divided by their sum
};
void describe(OptionVisitor& v, CountKind kind, CountOptions& o);  // those that the kind has

class CountBayes {
 public:
  using Options = CountOptions;
  static constexpr std::string_view kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static constexpr bool kTakesSparse = true;
  static constexpr bool kLazy = true;  // tables are made when asked for, not after every batch

  static Fit<CountBayes> fit(CountKind kind, Source& x, const Options& options, const Exec& exec);
  // From the sums over the rows so far, whose kind the model has.
  static Fit<CountBayes> partial_fit(FitOf<CountBayes> so_far, Source& x, const Options& options,
                                     const Exec& exec);
  static Fit<CountBayes> unlearn(FitOf<CountBayes> so_far, Source& x, const Options& options,
                                 const Exec& exec);
  static Fit<CountBayes> merge(FitOf<CountBayes> a, FitOf<CountBayes> b, const Options& options);
  static Fit<CountBayes> with_columns(FitOf<CountBayes> fit, std::span<const Index> places,
                                      Index columns, const Options& options);  // registry.h

  CountKind kind() const { return kind_; }
  Index columns() const { return columns_; }
  Index classes() const { return class_log_prior_.rows(); }
  const Array& feature_log_prob() const { return feature_log_prob_.get(); }  // classes x columns
  std::span<const double> class_log_prior() const { return class_log_prior_.values; }
  const std::optional<CalibrationFit>& calibration() const { return calibration_; }
  // The linear form: w, features x classes, padded; and b.
  std::span<const double> weights() const { return scores_.get().weights(); }
  std::span<const double> intercepts() const { return scores_.get().intercepts(); }

  // log p(x, c) of the rows of a chunk, up to what all classes share; requires finite values.
  void joint(const Chunk& chunk, std::span<double> out) const { scores_.get().find(chunk, out); }
  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  Index row_work() const { return scores_.get().row_work() + classes(); }
  std::int32_t predict_row(const double* row, double* work) const;  // registry.h
  bool predict_log_proba_row(const double* row, double* work, double* out) const;
  Index entries_work() const { return scores_.get().entries_work() + classes(); }
  std::int32_t predict_entries(const Sparse<double>& row, double* work) const;
  bool predict_log_proba_entries(const Sparse<double>& row, double* work, double* out) const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  // Of row i of a chunk and class c: log p(c), then the term that each feature adds to its score.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  // InputError (kNotAble) where something is impossible, which no weight can say.
  LinearForm linear_form() const;
  // Labelled rows. The length of a multinomial row is a Poisson number with the mean length of its
  // class, as the scores say nothing of it; Bernoulli rows are of 1 and 0, or of numbers on either
  // side of binarize. requires kind() != kComplement.
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters(const Options& options) const;

  void visit_parameters(ParameterVisitor& v) const;
  static CountBayes from_parameters(CountKind kind, const ParameterList& parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  CountBayes(CountKind kind, const Array& class_log_prior, const Lazy<Array>& feature_log_prob,
             Index columns, double threshold);
  static Fit<CountBayes> estimate(CountKind kind, NonzeroSums nonzero, const Options& options,
                                  std::vector<Note> notes, const Exec& exec);
  // From a fit on the rows with labels; `sums` become those of all rows.
  static void learn_unlabelled(Source& x, FeatureSums& sums, const Options& options,
                               const Exec& exec, Fit<CountBayes>& fit);
  static void calibrate(Source& x, const FeatureSums& sums, const Options& options,
                        const Exec& exec, Fit<CountBayes>& fit);
  void find_lengths(const Chunk& chunk, std::span<double> out) const;  // calibration.h
  BayesRule::Score measure(Source& x, const Exec& exec) const;
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  // A fit keeps the sums of its rows, and makes the two tables when they are asked for.
  CountKind kind_;
  Array class_log_prior_;
  Lazy<Array> feature_log_prob_;
  Lazy<CountScores> scores_;
  Index columns_ = 0;
  double threshold_ = 0;  // of Bernoulli
  Array mean_length_;     // of multinomial: of the rows of each class, to sample by
  std::optional<CalibrationFit> calibration_;
};

struct MultinomialNB : ModelKind<MultinomialNB, CountBayes, CountKind::kMultinomial> {
  static constexpr std::string_view kName = "multinomial-nb", kPythonName = "MultinomialNB";
  static constexpr std::string_view kHelp =
      "naive Bayes classification of counts, such as of words";
  static const Usage kUsage;
};

struct BernoulliNB : ModelKind<BernoulliNB, CountBayes, CountKind::kBernoulli> {
  static constexpr std::string_view kName = "bernoulli-nb", kPythonName = "BernoulliNB";
  static constexpr std::string_view kHelp =
      "naive Bayes classification by which features are there";
  static const Usage kUsage;
};

struct ComplementNB : ModelKind<ComplementNB, CountBayes, CountKind::kComplement> {
  static constexpr std::string_view kName = "complement-nb", kPythonName = "ComplementNB";
  static constexpr std::string_view kHelp =
      "naive Bayes classification of counts, by the other classes";
  static const Usage kUsage;
  static constexpr std::string_view kObjective = "mean score of the label";

  Sample sample(Index rows, std::uint64_t seed) const = delete;  // scores are no probabilities
};

}  // namespace craton
