#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/classes/counts/count_scores.h"
#include "craton/classes/counts/word_positions.h"
#include "craton/model/abilities.h"

// Naive Bayes of texts by position: column t has the word that stands at position t, and
//
//   log p(x, c) = log p(c) + sum_t log p(x_t | c, t),
//   p(w | c, t) = (N_ctw + alpha) / sum_v (N_ctv + alpha),
//
// with N_ctw the weight of rows of class c that have word w at t. Tied, all positions have one
// table, N_cw = sum_t N_ctw: the multinomial model of the counts of words (count_bayes.h). A
// missing value adds nothing: the text has ended. Nor does a word that was never seen, nor, for
// alpha = 0 too, a position that no text of the class has reached. Of a column of text, its first
// words are such columns (text_step.h).

namespace craton {

class PositionalNB {
 public:
  static constexpr std::string_view kName = "positional-nb", kPythonName = "PositionalNB",
                                    kHelp =
                                        "naive Bayes classification by the word at each position",
                                    kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static const Usage kUsage;
  static constexpr bool kTakesCategories = true, kTakesMissing = true, kTakesPositions = true;

  struct Options {
    double alpha = 1;
    ClassPrior prior;
    bool tied = false;
    Index n_words = 0;  // of the vocabulary, at least; 0: as many as there are
  };

  static Fit<PositionalNB> fit(Source& x, const Options& options, const Exec& exec);

  Index columns() const { return positions_; }
  Index classes() const { return word_log_prob_.rows(); }
  Index words() const { return word_log_prob_.shape[2]; }
  bool tied() const { return positions_ != word_log_prob_.shape[1]; }
  // classes x positions x words; of tied ones, classes x 1 x words.
  const Array& word_log_prob() const { return word_log_prob_; }
  std::span<const double> class_log_prior() const { return class_log_prior_.values; }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  // Of a row and a class: log p(c), then log p(x_t | c, t).
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  Index free_parameters(const Options& options) const;

  void visit_parameters(ParameterVisitor& v) const;
  static PositionalNB from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;

 private:
  PositionalNB(Array class_log_prior, Array word_log_prob, Index positions,
               WordsByPosition vocabulary);
  WordPositions layout() const { return {positions_, words(), tied()}; }
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  Array class_log_prior_, word_log_prob_;
  Index positions_;
  WordsByPosition vocabulary_;
  CountScores scores_;
};

void describe(OptionVisitor& v, PositionalNB::Options& o);

}  // namespace craton
