#pragma once
#include "cli/parsing/entries.h"
#include "craton/base/json.h"

// What was measured, as tables for people and as JSON.

namespace craton::cli {

using Metrics = std::span<const Metric* const>;

std::string shown(const Estimate& estimate);   // "0.931 ± 0.012"
std::string better_way(const Metric& metric);  // "higher is better"

SummaryTable fold_table(const Results& results, Index folds, Metrics metrics);
SummaryTable metric_table(const Results& results, Metrics metrics);
SummaryTable grid_table(const Measured& measured, const std::vector<std::string>& options,
                        Metrics metrics);
// With the paired differences of the first metric. `columns`: how many each model takes.
SummaryTable model_table(const Measured& measured, const std::vector<Index>& columns,
                         Metrics metrics);

// {"model": ..., "options": {...}, "metrics": {"accuracy": {"mean": ..., "error": ...}},
//  "less_best": the same of the differences, "folds": [{"train_rows": ..., "accuracy": ...}, ...]}
Json to_json(const Measured& measured, Index entry, Metrics metrics);
Json all_to_json(const Measured& measured, Metrics metrics);

}  // namespace craton::cli
