#pragma once
#include "craton/base/function_ref.h"
#include "craton/select/importance.h"
#include "craton/select/metric.h"
#include "craton/select/splits.h"

// A model is fitted on the training rows of each fold and measured on the others. Over J folds the
// mean of a metric has the error
//
//   s sqrt(1 / J + n_test / n_train),
//
// s the standard deviation of the folds: s / sqrt(J) would count folds as independent, though they
// share most of what they learn from (Nadeau and Bengio, "Inference for the generalization error",
// 2003). Two models on the same folds are compared by the differences of each fold, the same way.

namespace craton {

// One of the things to compare.
struct Trial {
  const ModelInfo* model = nullptr;
  std::vector<NamedOption> options = {};
};

struct FoldResult {
  Index train_rows = 0, test_rows = 0;
  bool converged = true;
  std::vector<double> values;           // of the metrics
  std::vector<double> importance = {};  // of the columns, by the first metric; if asked for
};

// Folds one after another, those of each split in their order.
using Results = std::vector<FoldResult>;

// What rows were given in the fold that held them out.
struct Predictions {
  std::vector<std::int32_t> fold, labels;  // of each row; -1: never held out
  Array proba = {};  // rows x classes, NaN where never held out; empty: the model gives none
  std::vector<double> numbers = {};  // likewise, of a model that predicts them; it has no labels
};

struct Measuring {
  std::span<const Metric* const> metrics;
  std::int32_t positive = HeldOut::kUsual;
  Predictions* keep = nullptr;            // them too, if the model predicts labels or numbers
  std::optional<Shuffles> shuffles = {};  // and how much each column says to it
};

// The labels or targets of `x`, if there are any, are the truth; learns_target() says whether the
// model learns from them. Folds of small tables run side by side, those of others one after
// another, each on all threads: the results are the same. `next(done)` is called on the calling
// thread, now and then. InputErrors say in which fold; kTooFewRows when a metric is not defined
// there; kNotAble and kBadOption when there are no predictions to keep, or several for a row.
Results cross_validate(Source& x, std::span<const Folds> splits, const Trial& trial,
                       const Measuring& measuring, const Exec& exec, FunctionRef<void(Index)> next);

struct Estimate {
  double mean = 0, error = 0;  // error: NaN of one fold
};
Estimate estimate(const Results& results, Index metric);
// Of a column, which texts are behind the others; requires that it was asked for.
Estimate importance(const Results& results, Index column);
// A line for each column, the most important first, with the error of the mean over folds.
ResultTable importance_table(const Results& results, const Schema& schema, const Metric& metric);
Estimate difference(const Results& a, const Results& b, Index metric);  // a - b

// The best mean of the first metric; of equals that of the next one, and so on; then the first.
// requires one.
Index best_of(std::span<const Results> candidates, std::span<const Metric* const> metrics);

// Labels, or numbers that are targets, of rows, in their order; none when the rows have none.
std::vector<std::int32_t> labels_of(Source& x, const Exec& exec);
std::vector<double> numbers_of(Source& x, const Exec& exec);

}  // namespace craton
