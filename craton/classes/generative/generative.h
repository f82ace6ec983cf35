#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "craton/classes/bayes_rule.h"
#include "craton/classes/class_prior.h"
#include "craton/model/abilities.h"

// The Bayes classifier over any density: of each class the rows have a density of their own,
//
//   p(class | x) ~ p(class) p(x | class),
//
// which may be any model of the library that has one and takes no labels: families by column, a
// mixture of them, a Gaussian mixture.

namespace craton {

class GenerativeClassifier {
 public:
  static constexpr std::string_view kName = "generative";
  static constexpr std::string_view kPythonName = "GenerativeClassifier";
  static constexpr std::string_view kHelp = "classification by a density of each class";
  static constexpr std::string_view kObjective = "mean log p(row, label)";
  static constexpr TargetKind kTarget = TargetKind::kLabels;
  static constexpr ScoreKind kScore = ScoreKind::kAccuracy;
  static const Usage kUsage;
  static constexpr bool kTakesCategories = true, kTakesMissing = true;

  struct Options {
    std::string density = "mixture";  // the name of a model
    std::string settings;             // its options: "n_components=3 covariance_type=diag"
    ClassPrior prior;
    Index random_state = 0;
  };

  static Fit<GenerativeClassifier> fit(Source& x, const Options& options, const Exec& exec);

  Index columns() const { return densities_[0]->columns(); }
  Index classes() const { return class_log_prior_.rows(); }
  const AnyModel& density(Index label) const { return *densities_[usize(label)]; }

  void predict(Source& x, std::span<std::int32_t> labels, const Exec& exec) const;
  void predict_log_proba(Source& x, std::span<double> out, const Exec& exec) const;
  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  double score(Source& x, const Exec& exec) const;  // accuracy
  std::vector<Measure> measures(Source& x, const Exec& exec) const;
  // log p(class), then log p(x_j | x_1, ..., x_j-1, class): by densities that take missing values,
  // since they know p of the first columns. InputError (kNotAble) of others.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters(const Options& options) const;
  bool counts_parameters() const;

  // Those of the density of class 3 are called "part.3." and so on.
  void visit_parameters(ParameterVisitor& v) const;
  void visit_old_parameters(ParameterVisitor& v) const;  // in two arrays, as 0.1.0 had them
  static GenerativeClassifier from_parameters(const ParameterList& parameters);  // either way
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;

 private:
  using Densities = std::vector<std::shared_ptr<const AnyModel>>;
  GenerativeClassifier(Array class_log_prior, Densities densities)
      : class_log_prior_(std::move(class_log_prior)), densities_(std::move(densities)) {}
  BayesRule::Score measure(Source& x, const Exec& exec) const;
  template <class F>
  auto with_rule(Source& x, const F& f) const;

  Array class_log_prior_;
  Densities densities_;  // of each class
};

void describe(OptionVisitor& v, GenerativeClassifier::Options& o);

}  // namespace craton
