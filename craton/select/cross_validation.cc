#include "craton/select/cross_validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"
#include "craton/select/sum.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

[[noreturn]] void refuse_undefined(const Metric& metric, const Source& x) {
  throw InputError(
      Code::kTooFewRows, {.file = x.name()},
      fmt::format(
          "{} is not defined, as the rows held out {}", metric.name,
          metric.kind == MetricKind::kNumbers ? "have no weight" : "are not of all classes"),
      {"Give {} or {}, or another metric.", Ref::flag("split", "stratified"), fewer_folds()});
}

// Cells of a table whose folds run side by side: smaller than that, and a fit has too few chunks to
// keep many threads busy by itself.
constexpr Index kSmall = Index{1} << 20;

// Cells that may be copied though the table is in a file.
constexpr Index kSpare = Index{1} << 23;

// Are there many passes over the rows?
bool iterates(const ModelInfo& model) {
  const std::vector<Option> options = model.options();
  return std::any_of(options.begin(), options.end(),
                     [](const Option& option) { return option.name == "max_iter"; });
}

struct FoldTask {
  const Folds& folds;
  Index fold, number;
};

struct FoldDone {
  FoldResult result;
  std::vector<std::int32_t> labels = {};  // of the rows held out, if asked for
  std::vector<double> proba = {}, numbers = {};
};

[[noreturn]] void refuse_empty(const Source& x) {
  throw InputError(
      Code::kTooFewRows, {.file = x.name()},
      x.schema().labelled() ? "no row that is held out has a label" : "no row is held out",
      {"Give {}.", fewer_folds()});
}

FoldDone run_fold(Source& x, const FoldTask& task, const Trial& trial, const Measuring& measuring,
                  const Exec& exec) {
  View learned(x), held(x);
  learned.rows(task.folds.train(task.fold));
  held.rows(task.folds.test(task.fold));
  if (held.shape().rows == 0) refuse_empty(x);
  const bool target = learns_target(*trial.model, measuring.metrics) && x.schema().target;
  if (!target) learned.unlabel();
  const Shape shape = learned.shape();
  const bool room = x.in_memory() || shape.rows * shape.cols <= kSpare;
  if (room && iterates(*trial.model)) learned.keep(exec);
  const Fitted fitted = trial.model->fit(learned, trial.options, exec);
  const HeldOut out(*fitted.model, held, exec, measuring.positive);
  FoldDone done{{shape.rows, held.shape().rows, fitted.report.converged, {}}};
  for (const Metric* metric : measuring.metrics) {
    done.result.values.push_back(metric->measure(out));
    if (std::isnan(done.result.values.back())) refuse_undefined(*metric, x);
  }
  if (measuring.shuffles) {
    const Importance found = find_importance(*fitted.model, held, *measuring.metrics[0],
                                             measuring.positive, *measuring.shuffles, exec);
    for (Index j = 0; j < found.drops.rows(); ++j) {
      done.result.importance.push_back(found.mean(j));
    }
  }
  if (measuring.keep == nullptr) return done;
  if (trial.model->abilities.predict_numbers) {
    done.numbers.assign(out.predicted_numbers().begin(), out.predicted_numbers().end());
    return done;
  }
  done.labels.assign(out.predicted().begin(), out.predicted().end());
  if (!trial.model->abilities.predict_log_proba) return done;
  const Dense<double> proba = out.probabilities();
  done.proba.assign(proba.data, proba.data + proba.rows * proba.cols);
  return done;
}

FoldDone run_named(Source& x, const FoldTask& task, const Trial& trial, const Measuring& measuring,
                   Index count, const Exec& exec) {
  try {
    return run_fold(x, task, trial, measuring, exec);
  } catch (const InputError& error) {
    const bool alone = task.folds.size == 1;
    throw InputError::repeated(
        error.code(), error.place(),
        {"fold {} of {}, {}: {}", 1 + (alone ? task.number : task.fold),
         alone ? count : task.folds.size, trial.model->name, error.complaint()},
        error.advice());
  }
}

// Tasks that are done, as what for_each tells a progress.
class FoldProgress final : public Progress {
 public:
  FoldProgress(Progress* progress, FunctionRef<void(Index)> next)
      : progress_(progress), next_(next) {}
  void rows(Index done, Index) override { next_(done); }
  bool keep_going() override { return progress_ == nullptr || progress_->keep_going(); }

 private:
  Progress* progress_;
  FunctionRef<void(Index)> next_;
};

void check_predicted_once(std::span<const Folds> splits, const ModelInfo& model) {
  if (!model.abilities.predict && !model.abilities.predict_numbers) {
    throw InputError(Code::kNotAble, {}, fmt::format("{} predicts no labels to keep", model.name),
                     {"{} lists what each model can do.", Ref::verb("models")});
  }
  std::vector<bool> tested(splits[0].part.size());
  for (const Folds& folds : splits) {
    for (std::size_t i = 0; i < tested.size(); ++i) {
      if (folds.part[i] < 0) continue;
      if (tested[i]) {
        throw InputError(
            Code::kBadOption, {},
            "rows are held out several times, and predictions "
            "of them are kept once",
            Ref::either("Leave --repeats out.", "Give folds that hold each row out once."));
      }
      tested[i] = true;
    }
  }
}

Predictions collect(std::span<const FoldTask> tasks, std::span<const FoldDone> all, Index rows) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::int32_t> none(usize(rows), -1);
  Predictions result{none, none};
  const auto predicts = [](const FoldDone& done) { return !done.numbers.empty(); };
  if (std::ranges::any_of(all, predicts)) result.numbers.assign(usize(rows), kNaN);
  Index classes = 0;
  for (const FoldDone& done : all) {
    if (done.labels.empty()) continue;
    classes = std::max(classes, ssize(done.proba) / ssize(done.labels));
  }
  if (classes > 0) {
    result.proba = {{rows, classes}, std::vector<double>(usize(rows * classes), kNaN)};
  }
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const RowSet test = tasks[t].folds.test(tasks[t].fold);
    const Index own = test.size() == 0 ? 0 : ssize(all[t].proba) / test.size();
    for (Index i = 0; i < test.size(); ++i) {
      const Index row = test[i];
      result.fold[usize(row)] = static_cast<std::int32_t>(t);
      if (!all[t].numbers.empty()) {
        result.numbers[usize(row)] = all[t].numbers[usize(i)];
        continue;
      }
      result.labels[usize(row)] = all[t].labels[usize(i)];
      std::copy_n(all[t].proba.begin() + i * own, own, result.proba.values.begin() + row * classes);
    }
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
                       const Measuring& measuring, const Exec& exec,
                       FunctionRef<void(Index)> next) {
  trial.model->check(trial.options);
  if (measuring.keep != nullptr) check_predicted_once(splits, *trial.model);
  std::vector<FoldTask> tasks;
  for (const Folds& folds : splits) {
    for (Index fold = 0; fold < folds.size; ++fold) tasks.push_back({folds, fold, ssize(tasks)});
  }
  std::vector<FoldDone> all(tasks.size());
  const auto run = [&](Index t, Source& source, const Exec& with) {
    all[usize(t)] = run_named(source, tasks[usize(t)], trial, measuring, ssize(tasks), with);
  };
  if (x.shape().rows * x.shape().cols <= kSmall) {
    FoldProgress progress(exec.progress, next);
    next(0);
    for_each(ssize(tasks), {.threads = exec.threads, .progress = &progress}, [&](Index t) {
      const std::unique_ptr<Source> own = x.reopen();  // a source is read by one at a time
      run(t, *own, {.threads = 1});
    });
  } else {
    for (Index t = 0; t < ssize(tasks); ++t) {
      next(t);
      run(t, x, exec);
    }
  }
  if (measuring.keep != nullptr) *measuring.keep = collect(tasks, all, x.shape().rows);
  Results results;
  for (FoldDone& done : all) results.push_back(std::move(done.result));
  return results;
}

Estimate estimate(const Results& results, Index metric) {
  return estimate_of(results, [&](std::size_t i) { return results[i].values[usize(metric)]; });
}

Estimate importance(const Results& results, Index column) {
  return estimate_of(results, [&](std::size_t i) { return results[i].importance[usize(column)]; });
}

ResultTable importance_table(const Results& results, const Schema& schema, const Metric& metric) {
  std::vector<double> means, errors;
  for (Index j = 0; j < ssize(results[0].importance); ++j) {
    const Estimate e = importance(results, j);
    means.push_back(e.mean);
    errors.push_back(e.error);
  }
  return importance_table(metric, columns_of_importance(schema), means, errors, "error");
}

Estimate difference(const Results& a, const Results& b, Index metric) {
  CRATON_ASSERT(a.size() == b.size());
  return estimate_of(
      a, [&](std::size_t i) { return a[i].values[usize(metric)] - b[i].values[usize(metric)]; });
}

Index best_of(std::span<const Results> candidates, std::span<const Metric* const> metrics) {
  constexpr double kRounding = 1e-12;  // of a mean over folds
  std::vector<Index> best(candidates.size());
  std::iota(best.begin(), best.end(), 0);
  for (std::size_t m = 0; m < metrics.size() && best.size() > 1; ++m) {
    const auto score = [&](Index i) {
      const double mean = estimate(candidates[usize(i)], static_cast<Index>(m)).mean;
      return metrics[m]->higher_is_better ? mean : -mean;
    };
    double top = score(best[0]);
    for (const Index i : best) top = score(i) > top ? score(i) : top;
    const double least = std::isfinite(top) ? top - kRounding * std::abs(top) : top;
    if (!std::isnan(top)) std::erase_if(best, [&](Index i) { return !(score(i) >= least); });
  }
  return best[0];
}

std::vector<std::int32_t> labels_of(Source& x, const Exec& exec) {
  if (!x.schema().labelled()) return {};
  std::vector<std::int32_t> labels(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      labels[usize(chunk.first_row + i)] = chunk.labels.empty() ? -1 : chunk.labels[usize(i)];
    }
  });
  return labels;
}

std::vector<double> numbers_of(Source& x, const Exec& exec) {
  if (!x.schema().number_target()) return {};
  std::vector<double> numbers(usize(x.shape().rows));
  for_rows(x, exec, [&](const Chunk& chunk) {
    std::ranges::copy(chunk.targets, numbers.begin() + chunk.first_row);
  });
  return numbers;
}

}  // namespace craton
