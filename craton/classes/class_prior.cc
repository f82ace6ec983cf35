#include "craton/classes/class_prior.h"

#include <fmt/core.h>

#include <cmath>
#include <numeric>

#include "craton/base/error.h"
#include "craton/tables/columns.h"

namespace craton {

void describe(OptionVisitor& v, ClassPrior& prior) {
  v.flag("fit_prior", prior.fit_prior, "learn the class probabilities; else all are the same");
  v.array("class_prior", prior.class_prior, "class probabilities, if known");
}

std::vector<double> log_class_prior(const ClassPrior& prior, std::span<const double> weights) {
  const auto refuse = [](const std::string& what) {
    throw InputError(Code::kBadOption, {}, {"{} {}", Ref::option("class_prior"), what},
                     "Give a probability for each class, in the order of the labels.");
  };
  if (!(std::accumulate(weights.begin(), weights.end(), 0.0) > 0)) {
    throw InputError(Code::kBadWeight, {},
                     "every row has weight 0, or none is left: there is nothing to learn from",
                     "Give some row a weight, or leave some rows in the model.");
  }
  const Array& given = prior.class_prior;
  std::vector<double> result(weights.size(), 1);
  if (!given.empty()) {
    if (given.values.size() != weights.size()) {
      refuse(fmt::format("has {} values for {} classes", given.values.size(), weights.size()));
    }
    result = given.values;
    for (const double p : result) {
      if (!(p >= 0)) refuse(fmt::format("has the value {}", p));
    }
    const double sum = std::accumulate(result.begin(), result.end(), 0.0);
    if (!(std::abs(sum - 1) <= 1e-6)) refuse(fmt::format("sums to {}", sum));
  } else if (prior.fit_prior) {
    result.assign(weights.begin(), weights.end());
  }
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& p : result) p = std::log(p) - std::log(sum);
  return result;
}

Index count_classes(const Source& x) {
  if (x.schema().target) return ssize(x.schema().target->levels);
  throw InputError(Code::kBadTarget, {.file = x.name()}, "the rows have no labels to learn from",
                   "Name the column that has them.");
}

void check_any_row(const Source& x) {
  if (x.shape().rows > 0) return;
  throw InputError(Code::kNoRows, {.file = x.name()}, "there are no rows to learn from",
                   "Give a table with rows.");
}

void check_classes(const Source& x, std::span<const double> weights, Index unlabelled,
                   std::vector<Note>& notes) {
  const std::string& target = x.schema().target->name;
  check_any_row(x);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total > 0 || unlabelled < x.shape().rows) {
    check_total_weight(total, x);
  } else {
    throw InputError(Code::kBadTarget, {.file = x.name(), .column = target}, "no row has a label",
                     {"{}.", Ref::either("Name another column with --target", "Give another y")});
  }
  if (unlabelled > 0) {
    notes.push_back({"unlabelled", fmt::format("left out {} row{} without a label", unlabelled,
                                               unlabelled == 1 ? "" : "s")});
  }
  for (std::size_t c = 0; c < weights.size(); ++c) {
    if (weights[c] > 0) continue;
    notes.push_back({"empty-class", fmt::format("the class '{}' has no rows",
                                                label_name(x.schema(), static_cast<Index>(c)))});
  }
}

void check_more_weight(const Source& x, std::span<const double> weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total <= kHeaviest)) check_total_weight(total, x);
}

void check_log_prior(std::span<const double> log_prior) {
  double sum = 0;
  for (const double l : log_prior) sum += std::exp(l);
  if (log_prior.empty() || !(std::abs(sum - 1) <= 1e-6)) {
    fail_parameters("the class probabilities do not sum to 1");
  }
}

}  // namespace craton
