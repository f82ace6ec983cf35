#include "craton/classes/count_bayes.h"

#include <algorithm>
#include <cmath>

#include "craton/core/columns.h"
#include "craton/core/error.h"

namespace craton {
namespace {

template <CountModel kModel>
CountScores scores_of(const Array& log_prior, const Array& table, double threshold) {
  if constexpr (kModel == CountModel::kBernoulli) {
    return CountScores::of_presence(log_prior.values, table, threshold);
  }
  const bool prior = kModel != CountModel::kComplement || log_prior.rows() == 1;
  const std::vector<double> none(log_prior.values.size());
  return CountScores::of_counts(prior ? log_prior.values : none, table);
}

}  // namespace

template <CountModel kModel>
CountBayes<kModel>::CountBayes(const Array& class_log_prior, const Lazy<Array>& feature_log_prob,
                               Index columns, double threshold)
    : class_log_prior_(class_log_prior),
      feature_log_prob_(feature_log_prob),
      scores_(Lazy<CountScores>::made_by(
          [=] { return scores_of<kModel>(class_log_prior, feature_log_prob.get(), threshold); })),
      columns_(columns),
      threshold_(threshold) {}

template <CountModel kModel>
template <class F>
auto CountBayes<kModel>::with_rule(Source& x, const F& f) const {
  check_columns(x, columns());
  const auto scores = [&](const Chunk& chunk, std::span<double> out) {
    check_finite(chunk, x);
    joint(chunk, out);
    check_joint(chunk, x, out);
  };
  if (!calibration_) return f(BayesRule(class_log_prior_.values, scores));
  const auto scales = [&](const Chunk& chunk, std::span<double> out) {
    find_lengths(chunk, out);
    for (double& v : out) v = calibration_->calibration.of(v);
  };
  return f(BayesRule(class_log_prior_.values, scores, Scales(scales)));
}

template <CountModel kModel>
void CountBayes<kModel>::predict(Source& x, std::span<std::int32_t> labels,
                                 const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict(x, labels, exec); });
}

template <CountModel kModel>
void CountBayes<kModel>::predict_log_proba(Source& x, std::span<double> out,
                                           const Exec& exec) const {
  with_rule(x, [&](const BayesRule& rule) { rule.predict_log_proba(x, out, exec); });
}

template <CountModel kModel>
std::int32_t CountBayes<kModel>::predict_row(const double* row, double* work) const {
  const std::span<double> joint(work, usize(classes()));
  return scores_.get().find_row(row, work + classes(), joint) ? best_class(joint) : -1;
}

// What is calibrated depends on the length of the row too: not here.
template <CountModel kModel>
bool CountBayes<kModel>::predict_log_proba_row(const double* row, double* work, double* out) const {
  const std::span<double> joint(out, usize(classes()));
  return !calibration_ && scores_.get().find_row(row, work, joint) && normalise(joint, work);
}

template <CountModel kModel>
BayesRule::Score CountBayes<kModel>::measure(Source& x, const Exec& exec) const {
  return with_rule(x, [&](const BayesRule& rule) { return rule.score(x, exec); });
}

template <CountModel kModel>
double CountBayes<kModel>::score(Source& x, const Exec& exec) const {
  return measure(x, exec).accuracy;
}

template <CountModel kModel>
std::vector<Measure> CountBayes<kModel>::measures(Source& x, const Exec& exec) const {
  std::vector<Measure> all = measure(x, exec).measures();
  if (kModel == CountModel::kComplement) all.resize(1);  // its scores are no probabilities
  return all;
}

template <CountModel kModel>
Index CountBayes<kModel>::free_parameters(const Options& options) const {
  const Index d = columns() - (kModel == CountModel::kMultinomial ? 1 : 0);
  const bool prior = options.prior.fit_prior && options.prior.class_prior.empty();
  return classes() * d + (prior ? classes() - 1 : 0);
}

template <CountModel kModel>
std::vector<Parameter> CountBayes<kModel>::parameters() const {
  std::vector<Parameter> result{
      {"class_log_prior", "log probability of each class", class_log_prior_},
      {"feature_log_prob",
       kModel == CountModel::kComplement ? "weight of each feature for each class"
                                         : "log probability of each feature in each class",
       feature_log_prob()}};
  if constexpr (kModel == CountModel::kBernoulli) {
    result.push_back({"threshold", "values above it count as 1", {{1}, {threshold_}}});
  }
  if constexpr (kModel == CountModel::kMultinomial) {
    result.push_back({"mean_length", "mean sum of the rows of each class", mean_length_});
  }
  if (calibration_) append_calibration(*calibration_, result);
  return result;
}

template <CountModel kModel>
CountBayes<kModel> CountBayes<kModel>::from_parameters(std::span<const Parameter> parameters) {
  const Array& prior = get_parameter(parameters, "class_log_prior", std::array<Index, 1>{-1});
  const Array& table =
      get_parameter(parameters, "feature_log_prob", std::array<Index, 2>{prior.rows(), -1});
  check_log_prior(prior.values);
  if (table.empty()) fail_parameters("there are no features");
  for (const double v : table.values) {
    // The logarithm of the least double is -745: beyond that scores might overflow.
    const bool sound = std::abs(v) < 1e4 || (kModel != CountModel::kComplement && v == -INFINITY);
    // That of a feature which has all counts may be above 0 by rounding.
    const double most = kModel == CountModel::kMultinomial ? 1e-9 : 0;
    const bool fine = sound && (kModel == CountModel::kComplement || v <= most);
    if (!fine) fail_parameters("a log probability of a feature is not one");
  }
  double threshold = 0;
  if constexpr (kModel == CountModel::kBernoulli) {
    threshold = get_parameter(parameters, "threshold", std::array<Index, 1>{1}).values[0];
    if (!std::isfinite(threshold)) fail_parameters("the threshold is not finite");
  }
  CountBayes model(prior, Lazy(table), table.cols(), threshold);
  if constexpr (kModel == CountModel::kMultinomial) {
    constexpr double kMost = 9007199254740992;  // 2^53: counts beyond are no integers
    model.mean_length_ =
        get_parameter(parameters, "mean_length", std::array<Index, 1>{prior.rows()});
    for (const double v : model.mean_length_.values) {
      if (!(v >= 0 && v <= kMost)) fail_parameters("the mean length of a row is none");
    }
  }
  model.calibration_ = read_calibration(parameters);
  return model;
}

template class CountBayes<CountModel::kMultinomial>;
template class CountBayes<CountModel::kBernoulli>;
template class CountBayes<CountModel::kComplement>;

}  // namespace craton
