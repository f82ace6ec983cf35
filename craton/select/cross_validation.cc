#include "craton/select/cross_validation.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "craton/core/error.h"
#include "craton/core/for_each.h"
#include "craton/core/labels.h"
#include "craton/select/sum.h"

namespace craton {
namespace {

[[noreturn]] void refuse_undefined(const Metric& metric, const Source& x) {
  throw InputError(
      Code::kTooFewRows, {.file = x.name()},
      fmt::format("{} is not defined, as the rows held out are not of all classes", metric.name),
      "Give --split stratified or fewer --folds, or another metric.");
}

FoldResult run_fold(Source& x, const Folds& folds, Index fold, const Trial& trial,
                    std::span<const Metric* const> metrics, const Exec& exec) {
  const RowSet train = folds.train(fold), test = folds.test(fold);
  SelectedRows learned(x, train), held(x, test);
  WithoutLabels unlabelled(learned);
  const bool labels = learns_labels(*trial.model, metrics) && x.schema().target;
  const Fitted fitted =
      trial.model->fit(labels ? static_cast<Source&>(learned) : unlabelled, trial.options, exec);
  const HeldOut out(*fitted.model, held, exec);
  FoldResult result{train.size(), test.size(), fitted.report.converged, {}};
  for (const Metric* metric : metrics) {
    result.values.push_back(metric->measure(out));
    if (std::isnan(result.values.back())) refuse_undefined(*metric, x);
  }
  return result;
}

// Of one value a fold.
template <class F>
Estimate estimate_of(const Results& results, const F& value) {
  const auto count = static_cast<double>(results.size());
  Sum sum, squares, ratios;
  for (std::size_t i = 0; i < results.size(); ++i) {
    sum += value(i);
    ratios +=
        static_cast<double>(results[i].test_rows) / static_cast<double>(results[i].train_rows);
  }
  const double mean = sum.value() / count;
  for (std::size_t i = 0; i < results.size(); ++i) {
    squares += (value(i) - mean) * (value(i) - mean);
  }
  if (results.size() < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
  return {mean, std::sqrt(squares.value() / (count - 1) * (1 / count + ratios.value() / count))};
}

}  // namespace

Results cross_validate(Source& x, std::span<const Folds> splits, const Trial& trial,
                       std::span<const Metric* const> metrics, const Exec& exec,
                       FunctionRef<void(Index)> next) {
  Results results;
  for (const Folds& folds : splits) {
    for (Index fold = 0; fold < folds.size; ++fold) {
      next(ssize(results));
      try {
        results.push_back(run_fold(x, folds, fold, trial, metrics, exec));
      } catch (const InputError& error) {
        throw InputError::repeated(error.code(), error.place(),
                                   fmt::format("fold {} of {}, {}: {}", fold + 1, folds.size,
                                               trial.model->name, error.what()));
      }
    }
  }
  return results;
}

Estimate estimate(const Results& results, Index metric) {
  return estimate_of(results, [&](std::size_t i) { return results[i].values[usize(metric)]; });
}

Estimate difference(const Results& a, const Results& b, Index metric) {
  CRATON_ASSERT(a.size() == b.size());
  return estimate_of(
      a, [&](std::size_t i) { return a[i].values[usize(metric)] - b[i].values[usize(metric)]; });
}

Index best_of(std::span<const Results> candidates, const Metric& metric, Index number) {
  const auto score = [&](Index i) {
    const double mean = estimate(candidates[usize(i)], number).mean;
    return metric.higher_is_better ? mean : -mean;
  };
  Index best = 0;
  for (Index i = 1; i < ssize(candidates); ++i) {
    if (score(i) > score(best)) best = i;
  }
  return best;
}

std::vector<std::int32_t> labels_of(Source& x, const Exec& exec) {
  if (!x.schema().target) return {};
  std::vector<std::int32_t> labels(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      labels[usize(chunk.first_row + i)] = chunk.labels[usize(i)];
    }
  });
  return labels;
}

}  // namespace craton
