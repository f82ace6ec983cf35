#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "craton/model/registry.h"

// The metrics by name, and what each asks of a model: `craton cv --metric` and searches choose from
// this table.

namespace craton {

// What a model says of rows that it has not seen, and what is true of them. Asked for once each,
// when a metric needs it.
class HeldOut {
 public:
  // Borrows both. The labels, or the targets, of `rows` are the truth; the model does not see
  // them. positive: the
  // label that metrics of one class are about; kUsual: see there.
  static constexpr std::int32_t kUsual = -1;
  HeldOut(const AnyModel& model, Source& rows, const Exec& exec, std::int32_t positive = kUsual);

  // What is said of the rows by somebody who is no model; NaN where he says nothing.
  struct Said {
    std::vector<std::int32_t> labels = {};
    std::vector<double> probabilities = {}, numbers = {};  // rows x classes
  };
  HeldOut(Said said, Source& rows, const Exec& exec, std::int32_t positive = kUsual);

  Source& rows() const { return rows_; }
  Source& seen_rows() const { return *seen_; }  // prepared as the model does
  const Exec& exec() const { return exec_; }
  std::span<const std::int32_t> truth() const { return truth_; }     // labels, if there are any
  std::span<const double> true_numbers() const { return numbers_; }  // or numbers
  std::span<const double> weights() const { return weights_; }       // none: all are 1
  Index classes() const { return classes_; }                         // labels of either are below
  // The one given, or the second of two; kUsual: none, the mean over all is wanted.
  std::int32_t positive() const { return positive_; }
  std::span<const std::int32_t> predicted() const;
  Dense<double> probabilities() const;  // rows x classes of the model
  std::span<const double> log_densities() const;
  std::span<const double> predicted_numbers() const;

 private:
  void read_truth();

  const AnyModel* model_ = nullptr;
  Source& rows_;
  SteppedRows seen_;
  Exec exec_;
  Index classes_ = 0;
  std::int32_t positive_;
  std::vector<std::int32_t> truth_;
  std::vector<double> weights_, numbers_;
  mutable std::optional<std::vector<std::int32_t>> predicted_;
  mutable std::optional<std::vector<double>> probabilities_, log_densities_, predicted_numbers_;
};

enum class MetricKind {
  kLabels,         // predicted labels against the true ones
  kProbabilities,  // of labels
  kDensity,        // log p(row)
  kAgreement,      // clusters against true classes
  kClusters,       // clusters by themselves
  kNumbers,        // predicted numbers against the true ones
};

struct Metric {
  std::string_view name, help;
  MetricKind kind;
  bool higher_is_better;
  double (*measure)(const HeldOut&);  // NaN: not defined for these rows
};

std::span<const Metric> metrics();
// With - or _ in the name; else InputError, did-you-mean.
const Metric& find_metric(std::string_view name);

// The label of that name, to be HeldOut::positive(): "yes", or "1" and "1.0" where labels are
// numbers. Else InputError (kUnknownName), did-you-mean; kBadOption where there are no labels.
std::int32_t find_positive(const Schema& schema, const std::string& name);

// Those of accuracy and log loss, R^2 and the mean absolute error, log-likelihood or silhouette
// that fit the model. labelled: there is a target, of labels or numbers as the model takes them.
std::vector<const Metric*> usual_metrics(const ModelInfo& model, bool labelled);

// Those of the names, each checked against every model; without names, the usual ones that all
// models share: InputError (kBadOption) when there are none.
std::vector<const Metric*> choose_metrics(std::span<const std::string> names,
                                          std::span<const ModelInfo* const> models, bool labelled);

// Whether the model learns from the target when it is measured so; else that is the truth only. One
// that can do without labels does so unless a metric of them or their probabilities is asked for.
bool learns_target(const ModelInfo& model, std::span<const Metric* const> metrics);

// InputError (kNotAble) for a metric that the model has no answer to, or that wants a target where
// there is none: says which metrics do.
void check_metric(const Metric& metric, const ModelInfo& model, bool labelled);

}  // namespace craton
