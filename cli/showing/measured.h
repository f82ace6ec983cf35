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

// What is to be said before all else: which are no better than guessing; "": none is.
std::string worse_fields(const Measured& measured, Metrics metrics);
// And beside the table: whose probabilities are not as good as their labels.
std::string calibrate_fields(const Measured& measured);
void add_verdict(const Measured& measured, Json& json);

// {"model": ..., "options": {...}, "metrics": {"accuracy": {"mean": ..., "error": ...}},
//  "less_best": the same of the differences, "folds": [{"train_rows": ..., "accuracy": ...}, ...]}
Json to_json(const Measured& measured, Index entry, Metrics metrics);
Json all_to_json(const Measured& measured, Metrics metrics);

}  // namespace craton::cli
