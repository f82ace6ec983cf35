#include "craton/select/metric.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"
#include "craton/select/agreement.h"
#include "craton/select/class_metrics.h"
#include "craton/select/probability_metrics.h"
#include "craton/select/ranking.h"
#include "craton/select/regression_metrics.h"
#include "craton/select/silhouette.h"
#include "craton/tables/labels.h"

namespace craton {
namespace {

constexpr double kUlp = std::numeric_limits<double>::epsilon();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

ClassTotals totals(const HeldOut& h) {
  return class_totals({h.truth(), h.predicted(), h.weights()}, h.classes());
}

// Of the positive class; without one, the mean over those that either side has.
double of_classes(const HeldOut& h, std::vector<double> ClassScores::*which) {
  ClassTotals t = totals(h);
  const std::vector<double> scores = class_scores(t, 1, 0).*which;
  if (h.positive() >= 0) return scores[usize(h.positive())];
  for (std::size_t c = 0; c < t.truth.size(); ++c) t.truth[c] += t.predicted[c];
  for (double& present : t.truth) present = present > 0 ? 1 : 0;
  return mean_of(scores, t.truth);
}

ProbableRows probable(const HeldOut& h) { return {h.truth(), h.probabilities(), h.weights()}; }
ClassScoring scored(const HeldOut& h) { return {h.truth(), h.probabilities(), h.weights()}; }

double ranked(const HeldOut& h, RankingMetric metric) {
  const ClassScoring rows = scored(h);
  if (h.positive() >= 0) return one_vs_rest(rows, metric)[usize(h.positive())];
  return one_vs_rest(rows, metric, Averaging::kMacro);
}

// Of the positive class against the others: half of the sum over these two, of which it is the same
// for either.
double brier_of(const HeldOut& h) {
  if (h.classes() == 2) return 0.5 * brier(probable(h));
  if (h.positive() < 0) return brier(probable(h));
  const Dense<double> p = h.probabilities();
  std::vector<double> two;
  std::vector<std::int32_t> truth;
  for (Index i = 0; i < p.rows; ++i) {
    two.insert(two.end(), {1 - p.row(i)[h.positive()], p.row(i)[h.positive()]});
    truth.push_back(h.truth()[usize(i)] == h.positive() ? 1 : 0);
  }
  return 0.5 * brier({truth, {two.data(), p.rows, 2, 2}, h.weights()});
}

Contingency table(const HeldOut& h) { return contingency(h.truth(), h.predicted()); }
// Distances are those of the rows as the model sees them.
ClusteredRows clustered(const HeldOut& h) { return {h.seen_rows(), h.predicted(), h.classes()}; }

NumberPairs numbers(const HeldOut& h) {
  return {h.true_numbers(), h.predicted_numbers(), h.weights()};
}

using Kind = MetricKind;

constexpr std::array kMetrics{
    Metric{"accuracy", "the share of rows whose label is predicted", Kind::kLabels, true,
           [](const HeldOut& h) { return accuracy(totals(h)); }},
    Metric{"balanced-accuracy", "the mean of the shares of each class", Kind::kLabels, true,
           [](const HeldOut& h) { return balanced_accuracy(totals(h)); }},
    Metric{"precision", "of rows given a label, the share that have it", Kind::kLabels, true,
           [](const HeldOut& h) { return of_classes(h, &ClassScores::precision); }},
    Metric{"recall", "of rows that have a label, the share given it", Kind::kLabels, true,
           [](const HeldOut& h) { return of_classes(h, &ClassScores::recall); }},
    Metric{"f1", "the harmonic mean of precision and recall", Kind::kLabels, true,
           [](const HeldOut& h) { return of_classes(h, &ClassScores::f); }},
    Metric{"mcc", "Matthews' correlation of truth and prediction", Kind::kLabels, true,
           [](const HeldOut& h) { return matthews(totals(h)); }},
    Metric{"log-loss", "minus the mean log probability of the true labels", Kind::kProbabilities,
           false, [](const HeldOut& h) { return log_loss(probable(h), kUlp); }},
    Metric{"brier", "the mean squared error of probabilities, halved for two classes",
           Kind::kProbabilities, false, &brier_of},
    Metric{"roc-auc", "the chance that a row of a class is put before another",
           Kind::kProbabilities, true, [](const HeldOut& h) { return ranked(h, &roc_auc); }},
    Metric{"roc-auc-ovo", "ROC AUC, the mean over pairs of classes", Kind::kProbabilities, true,
           [](const HeldOut& h) { return roc_auc_one_vs_one(scored(h), Averaging::kMacro); }},
    Metric{"average-precision", "the area under precision against recall", Kind::kProbabilities,
           true, [](const HeldOut& h) { return ranked(h, &average_precision); }},
    Metric{"log-likelihood", "the mean log density of a row", Kind::kDensity, true,
           [](const HeldOut& h) {
             std::vector<double> weights(h.weights().begin(), h.weights().end());
             return mean_of(h.log_densities(), weights);
           }},
    Metric{"ari", "adjusted Rand index: pairs of rows put together or apart", Kind::kAgreement,
           true, [](const HeldOut& h) { return adjusted_rand_index(count_pairs(table(h))); }},
    Metric{"ami", "adjusted mutual information", Kind::kAgreement, true,
           [](const HeldOut& h) {
             return adjusted_mutual_information(table(h), EntropyMean::kArithmetic);
           }},
    Metric{"nmi", "normalised mutual information", Kind::kAgreement, true,
           [](const HeldOut& h) {
             return normalised_mutual_information(table(h), EntropyMean::kArithmetic);
           }},
    Metric{"homogeneity", "are clusters of one class?", Kind::kAgreement, true,
           [](const HeldOut& h) { return v_measure(table(h), 1).homogeneity; }},
    Metric{"completeness", "are classes in one cluster?", Kind::kAgreement, true,
           [](const HeldOut& h) { return v_measure(table(h), 1).completeness; }},
    Metric{"v-measure", "the harmonic mean of homogeneity and completeness", Kind::kAgreement, true,
           [](const HeldOut& h) { return v_measure(table(h), 1).v; }},
    Metric{"fowlkes-mallows", "precision and recall of pairs put together", Kind::kAgreement, true,
           [](const HeldOut& h) { return fowlkes_mallows(table(h)); }},
    Metric{"silhouette", "how much nearer the own cluster is; all pairs of rows", Kind::kClusters,
           true, [](const HeldOut& h) { return silhouette(clustered(h), h.exec()); }},
    Metric{"simplified-silhouette", "silhouette by distances to the means of clusters",
           Kind::kClusters, true,
           [](const HeldOut& h) { return simplified_silhouette(clustered(h), h.exec()); }},
    Metric{"calinski-harabasz", "variance between clusters over that within", Kind::kClusters, true,
           [](const HeldOut& h) { return calinski_harabasz(clustered(h), h.exec()); }},
    Metric{"davies-bouldin", "how near clusters are, for their widths", Kind::kClusters, false,
           [](const HeldOut& h) { return davies_bouldin(clustered(h), h.exec()); }},
    Metric{"mse", "mean squared error", Kind::kNumbers, false,
           [](const HeldOut& h) { return mean_squared_error(numbers(h)); }},
    Metric{"mae", "mean absolute error", Kind::kNumbers, false,
           [](const HeldOut& h) { return mean_absolute_error(numbers(h)); }},
    Metric{"r2", "the share of the variance that is explained", Kind::kNumbers, true,
           [](const HeldOut& h) { return explained(numbers(h)).r2(); }},
    Metric{"pinball", "mean pinball loss", Kind::kNumbers, false,
           [](const HeldOut& h) { return mean_pinball_loss(numbers(h), 0.5); }},
};

bool answers(const ModelInfo& model, MetricKind kind, bool labelled) {
  const Abilities& able = model.abilities;
  const bool classifies = (able.labels || able.some_labels) && labelled;
  switch (kind) {
    case Kind::kLabels:
      return classifies && able.predict;
    case Kind::kProbabilities:
      return classifies && able.predict_log_proba;
    case Kind::kDensity:
      return able.score_samples;
    case Kind::kAgreement:
      return labelled && able.predict;
    case Kind::kClusters:
      return able.predict && !able.labels;
    case Kind::kNumbers:
      return labelled && able.predict_numbers;
  }
  return false;
}

std::string why_not(const Metric& metric, const ModelInfo& model) {
  const Abilities& able = model.abilities;
  switch (metric.kind) {
    case Kind::kLabels:
    case Kind::kProbabilities:
      if (able.numbers) return fmt::format("{} predicts numbers, not labels", model.name);
      if (!able.labels && !able.some_labels) {
        return fmt::format("{} finds clusters, which have no true labels to predict", model.name);
      }
      return fmt::format("{} gives no probabilities of labels", model.name);
    case Kind::kDensity:
      return fmt::format("{} has no density of rows", model.name);
    case Kind::kAgreement:
      return fmt::format("{} puts rows in no clusters", model.name);
    case Kind::kClusters:
      return able.labels ? fmt::format("{} learns given classes, not clusters", model.name)
                         : fmt::format("{} puts rows in no clusters", model.name);
    case Kind::kNumbers:
      return fmt::format("{} predicts no numbers", model.name);
  }
  return {};
}

}  // namespace

HeldOut::HeldOut(const AnyModel& model, Source& rows, const Exec& exec, std::int32_t positive)
    : model_(&model),
      rows_(rows),
      seen_(model.steps().over(rows)),
      exec_(exec),
      classes_(model.classes()),
      positive_(positive) {
  read_truth();
}

HeldOut::HeldOut(Said said, Source& rows, const Exec& exec, std::int32_t positive)
    : rows_(rows), seen_(rows), exec_(exec), positive_(positive) {
  predicted_ = std::move(said.labels);
  probabilities_ = std::move(said.probabilities);
  predicted_numbers_ = std::move(said.numbers);
  read_truth();
}

void HeldOut::read_truth() {
  const Index n = rows_.shape().rows;
  const Schema& schema = rows_.schema();
  if (schema.labelled()) {
    classes_ = std::max(classes_, ssize(schema.target->levels));
    truth_.resize(usize(n));
  }
  if (schema.number_target()) numbers_.resize(usize(n));
  if (positive_ < 0 && classes_ == 2) positive_ = 1;
  std::vector<double> weights(usize(n));
  bool weighted = false;
  for_rows(rows_, {.threads = 1}, [&](const Chunk& chunk) {
    weighted = weighted || !chunk.weights.empty();
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::size_t row = usize(chunk.first_row + i);
      if (!truth_.empty()) truth_[row] = chunk.labels[usize(i)];
      if (!numbers_.empty()) numbers_[row] = chunk.targets[usize(i)];
      weights[row] = chunk.weight(i);
    }
  });
  if (weighted) weights_ = std::move(weights);
}

std::span<const std::int32_t> HeldOut::predicted() const {
  if (!predicted_) {
    predicted_.emplace(usize(rows_.shape().rows));
    model_->predict(rows_, *predicted_, exec_);
  }
  return *predicted_;
}

Dense<double> HeldOut::probabilities() const {
  const Index n = rows_.shape().rows, k = model_ == nullptr ? classes_ : model_->classes();
  if (!probabilities_) {
    probabilities_.emplace(usize(n * k));
    model_->predict_log_proba(rows_, *probabilities_, exec_);
    for (double& p : *probabilities_) p = std::exp(p);
  }
  return {probabilities_->data(), n, k, k};
}

std::span<const double> HeldOut::log_densities() const {
  if (!log_densities_) {
    log_densities_.emplace(usize(rows_.shape().rows));
    model_->score_samples(rows_, *log_densities_, exec_);
  }
  return *log_densities_;
}

std::span<const double> HeldOut::predicted_numbers() const {
  if (!predicted_numbers_) {
    predicted_numbers_.emplace(usize(rows_.shape().rows));
    model_->predict_numbers(rows_, *predicted_numbers_, exec_);
  }
  return *predicted_numbers_;
}

std::span<const Metric> metrics() { return kMetrics; }

const Metric& find_metric(std::string_view name) {
  std::string hyphens(name);  // and scikit-learn's names of functions and scorers
  std::replace(hyphens.begin(), hyphens.end(), '_', '-');
  if (hyphens.starts_with("neg-")) hyphens.erase(0, 4);
  if (hyphens.ends_with("-score")) hyphens.erase(hyphens.size() - 6);
  if (hyphens == "auc") hyphens = "roc-auc";
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) {
    if (metric.name == hyphens) return metric;
    names.emplace_back(metric.name);
  }
  const std::string near = did_you_mean(hyphens, names);
  throw InputError(Code::kUnknownName, {}, fmt::format("there is no metric '{}'", name),
                   near.empty() ? fmt::format("The metrics are: {}.", listed(names, 100)) : near);
}

std::int32_t find_positive(const Schema& schema, const std::string& name) {
  if (schema.number_target()) {
    throw InputError(Code::kBadOption, {},
                     {"{} names a label, and '{}' is a number of each row",
                      Ref::flag("positive", name), schema.target->name},
                     {"Leave {} out.", Ref::flag("positive")});
  }
  if (!schema.target) {
    throw InputError(Code::kBadOption, {}, {"{} needs labels", Ref::flag("positive", name)},
                     {"Give {}, or leave it out.", Ref::flag("target", "COLUMN")});
  }
  const std::vector<std::string>& levels = schema.target->levels;
  const auto number = [](const std::string& text) {
    double value = kNone;
    const char* const end = text.data() + text.size();
    return std::from_chars(text.data(), end, value).ptr == end ? value : kNone;
  };
  const bool numbers = schema.target->kind == ColumnKind::kNumber;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] == name || (numbers && number(levels[i]) == number(name))) {
      return static_cast<std::int32_t>(i);
    }
  }
  const std::string near = did_you_mean(name, levels);
  throw InputError(
      Code::kUnknownName, {},
      {"there is no label '{}', which {} names", name, Ref::flag("positive")},
      fmt::format("{}The labels are: {}.", near.empty() ? "" : near + " ", listed(levels, 20)));
}

std::vector<const Metric*> usual_metrics(const ModelInfo& model, bool labelled) {
  std::vector<const Metric*> result;
  for (const char* name : {"accuracy", "log-loss", "r2", "mae"}) {
    const Metric& metric = find_metric(name);
    if (answers(model, metric.kind, labelled)) result.push_back(&metric);
  }
  for (const char* name : {"log-likelihood", "simplified-silhouette"}) {
    const Metric& metric = find_metric(name);
    if (result.empty() && answers(model, metric.kind, labelled)) result.push_back(&metric);
  }
  return result;
}

std::vector<const Metric*> choose_metrics(std::span<const std::string> names,
                                          std::span<const ModelInfo* const> models, bool labelled) {
  std::vector<const Metric*> result;
  for (const std::string& name : names) result.push_back(&find_metric(name));
  for (const ModelInfo* model : models) {
    if (!names.empty()) break;
    const std::vector<const Metric*> usual = usual_metrics(*model, labelled);
    if (model == models[0]) result = usual;
    std::erase_if(result, [&](const Metric* metric) {
      return std::find(usual.begin(), usual.end(), metric) == usual.end();
    });
  }
  if (result.empty()) {
    throw InputError(Code::kBadOption, {}, "no metric is usual for all of these models",
                     {"Give {}", Ref::either("--metric A,B,...", "scoring.")});
  }
  for (const ModelInfo* model : models) {
    for (const Metric* metric : result) check_metric(*metric, *model, labelled);
  }
  return result;
}

bool learns_target(const ModelInfo& model, std::span<const Metric* const> metrics) {
  if (!model.abilities.some_labels) return model.abilities.labels || model.abilities.numbers;
  return std::any_of(metrics.begin(), metrics.end(), [](const Metric* m) {
    return m->kind == Kind::kLabels || m->kind == Kind::kProbabilities;
  });
}

void check_metric(const Metric& metric, const ModelInfo& model, bool labelled) {
  if (answers(model, metric.kind, labelled)) return;
  if (!labelled && answers(model, metric.kind, true)) {
    throw InputError(Code::kBadOption, {},
                     fmt::format("{} compares with true {}, and none are given", metric.name,
                                 metric.kind == Kind::kNumbers ? "numbers" : "labels"),
                     {"Give {}.", Ref::flag("target", "COLUMN")});
  }
  std::vector<std::string> fitting;
  for (const Metric& other : kMetrics) {
    if (answers(model, other.kind, labelled)) fitting.emplace_back(other.name);
  }
  throw InputError(Code::kNotAble, {},
                   fmt::format("{} does not fit: {}", metric.name, why_not(metric, model)),
                   fmt::format("Give one of {}.", listed(fitting, 100)));
}

}  // namespace craton
