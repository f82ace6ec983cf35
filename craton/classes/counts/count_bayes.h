#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/calibration.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/counts/count_estimates.h"
#include "craton/classes/counts/count_scores.h"
#include "craton/classes/counts/feature_sums.h"
#include "craton/classes/semi_supervised.h"

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

enum class CountModel { kMultinomial, kBernoulli, kComplement };

struct CountOptions {
  CountSmoothing smoothing;
  ClassPrior prior;
  double binarize = 0;  // of Bernoulli: 1 stands for values above this
  SemiSupervised semi;  // of multinomial and Bernoulli
  Calibrate calibrate = Calibrate::kNone;
  bool norm = false;  // of complement: the weights of a class are divided by their sum
};

template <CountModel kModel>
class CountBayes {
 public:
  static constexpr std::string_view kName =
      std::array{std::string_view("multinomial-nb"), std::string_view("bernoulli-nb"),
                 std::string_view("complement-nb")}[static_cast<std::size_t>(kModel)];
  static constexpr std::string_view kPythonName =
      std::array{std::string_view("MultinomialNB"), std::string_view("BernoulliNB"),
                 std::string_view("ComplementNB")}[static_cast<std::size_t>(kModel)];
  static constexpr std::string_view kHelp =
      std::array{std::string_view("naive Bayes classification of counts, such as of words"),
                 std::string_view("naive Bayes classification by which features are there"),
                 std::string_view("naive Bayes classification of counts, by the other classes")}
          [static_cast<std::size_t>(kModel)];
  static constexpr std::string_view kObjective =
      kModel == CountModel::kComplement ? "mean score of the label" : "mean log p(row, label)";
  static constexpr bool kTakesSparse = true, kTakesLabels = true;
  static constexpr bool kLazy = true;  // tables are made when asked for, not after every batch

  struct Options : CountOptions {};

  static Fit<CountBayes> fit(Source& x, const Options& options, const Exec& exec);
  static Fit<CountBayes> partial_fit(const Fit<CountBayes>& so_far, Source& x,
                                     const Options& options, const Exec& exec);
  static Fit<CountBayes> unlearn(const Fit<CountBayes>& so_far, Source& x, const Options& options,
                                 const Exec& exec);
  static Fit<CountBayes> merge(const Fit<CountBayes>& a, const Fit<CountBayes>& b,
                               const Options& options);

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
  // Of row i of a chunk and class c: log p(c), then x_j log p_cj, or what the model has for it.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  // InputError (kNotAble) where something is impossible, which no weight can say.
  LinearForm linear_form() const;
  // Labelled rows. Counts of class c sum to a Poisson number whose mean is that of its rows; the
  // score of a row says nothing of its length. Bernoulli's are 1 and 0, unless binarize is.
  Sample sample(Index rows, std::uint64_t seed) const requires(kModel != CountModel::kComplement);
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  Index free_parameters(const Options& options) const;

  std::vector<Parameter> parameters() const;
  static CountBayes from_parameters(std::span<const Parameter> parameters);
  void check_memory(std::span<const Parameter> memory) const;
  std::vector<SummaryTable> summary(const Schema& schema) const;

 private:
  CountBayes(const Array& class_log_prior, const Lazy<Array>& feature_log_prob, Index columns,
             double threshold);
  // From a fit on the rows with labels; `sums` become those of all rows.
  static void learn_unlabelled(Source& x, FeatureSums& sums, const Options& options,
                               const Exec& exec, Fit<CountBayes>& fit);
  static void calibrate(Source& x, const FeatureSums& sums, const Options& options,
                        const Exec& exec, Fit<CountBayes>& fit);
  void find_lengths(const Chunk& chunk, std::span<double> out) const;
  static Fit<CountBayes> estimate(SeenSums seen, const Options& options, std::vector<Note> notes,
                                  const Exec& exec);
  BayesRule::Score measure(Source& x, const Exec& exec) const;
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  // A fit keeps the sums of its rows, and makes the two tables when they are asked for.
  Array class_log_prior_;
  Lazy<Array> feature_log_prob_;
  Lazy<CountScores> scores_;
  Index columns_ = 0;
  double threshold_ = 0;  // of Bernoulli
  Array mean_length_;     // of multinomial: of the rows of each class, to sample by
  std::optional<CalibrationFit> calibration_;
};

// What is added to the counts of a model, and to what (count_estimates.h).
template <CountModel kModel>
Alphas alphas_of(const CountSmoothing& smoothing, Index columns) {
  return kModel == CountModel::kBernoulli ? presence_alphas(smoothing, columns)
                                          : count_alphas(smoothing, columns);
}

using MultinomialNB = CountBayes<CountModel::kMultinomial>;
using BernoulliNB = CountBayes<CountModel::kBernoulli>;
using ComplementNB = CountBayes<CountModel::kComplement>;

extern template class CountBayes<CountModel::kMultinomial>;
extern template class CountBayes<CountModel::kBernoulli>;
extern template class CountBayes<CountModel::kComplement>;

void describe(OptionVisitor& v, MultinomialNB::Options& o);
void describe(OptionVisitor& v, BernoulliNB::Options& o);
void describe(OptionVisitor& v, ComplementNB::Options& o);

}  // namespace craton
