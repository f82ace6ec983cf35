#pragma once
#include "craton/select/metric.h"

// Permutation importance (Breiman, "Random forests", 2001): how much worse a model does on rows
// when what one column says of them is shuffled among them,
//
//   importance_j = s (m(rows) - m(rows with column j shuffled)),   s = 1 if a high m is good, or -1
//
// which is small for a column whose news others have, too. A category is one column, and so is a
// text. Rows that the model has learned from flatter columns that it has learned by heart: hold
// some out.

namespace craton {

struct Shuffles {
  Index count = 5;  // of each column
  std::uint64_t seed = 0;
};

// requires a metric that the model answers, and that is defined for the rows.
struct Importance {
  double metric = 0;  // m(rows)
  Array drops = {};   // columns x shuffles: importance_j of each; texts come behind the others

  double mean(Index column) const;       // over shuffles
  double deviation(Index column) const;  // sqrt(1 / (shuffles - 1) sum ...); NaN of one
};
Importance find_importance(const AnyModel& model, Source& rows, const Metric& metric,
                           std::int32_t positive, const Shuffles& shuffles, const Exec& exec);

// What its columns are called, texts behind the others.
std::vector<std::string> columns_of_importance(const Schema& schema);

// A line for each column, the most important first: "column", "importance" and what it is sure to.
ResultTable importance_table(const Metric& metric, const std::vector<std::string>& columns,
                             std::span<const double> means, std::span<const double> errors,
                             std::string_view error_name);

}  // namespace craton
