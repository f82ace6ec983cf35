#include "cli/measured.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/output.h"

namespace craton::cli {
namespace {

void add_estimates(const Results& results, Metrics metrics, std::vector<std::string>& row) {
  for (Index m = 0; m < ssize(metrics); ++m) row.push_back(shown(estimate(results, m)));
}

void add_names(Metrics metrics, std::vector<std::string>& header) {
  for (const Metric* metric : metrics) header.emplace_back(metric->name);
}

}  // namespace

std::string shown(const Estimate& e) {
  if (std::isnan(e.error)) return shown(e.mean);
  // As many decimals as the error's second digit has: what comes after says nothing.
  const double size = e.error > 0 && std::isfinite(e.error) ? std::floor(std::log10(e.error)) : -3;
  const int decimals = std::clamp(1 - static_cast<int>(size), 0, 6);
  return fmt::format("{:.{}f} ± {:.{}f}", e.mean + 0.0, decimals, e.error, decimals);
}

std::string better_way(const Metric& metric) {
  return metric.higher_is_better ? "higher is better" : "lower is better";
}

SummaryTable fold_table(const Results& results, Index folds, Metrics metrics) {
  SummaryTable table{"", {"fold", "learned", "held out"}, {}};
  add_names(metrics, table.header);
  for (Index i = 0; i < ssize(results); ++i) {
    const FoldResult& fold = results[usize(i)];
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Index n : {i % folds + 1, fold.train_rows, fold.test_rows}) {
      row.push_back(std::to_string(n));
    }
    for (const double value : fold.values) row.push_back(shown(value));
  }
  return table;
}

SummaryTable metric_table(const Results& results, Metrics metrics) {
  SummaryTable table{"", {"metric", "mean ± error", ""}, {}};
  for (Index m = 0; m < ssize(metrics); ++m) {
    const Metric& metric = *metrics[usize(m)];
    table.rows.push_back({std::string(metric.name), shown(estimate(results, m)),
                          fmt::format("{}; {}", metric.help, better_way(metric))});
  }
  return table;
}

SummaryTable grid_table(const Measured& measured, const std::vector<std::string>& options,
                        Metrics metrics) {
  SummaryTable table{"", options, {}};
  add_names(metrics, table.header);
  table.header.emplace_back("");
  for (Index i = 0; i < ssize(measured.entries); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back(measured.entries[usize(i)].point);
    add_estimates(measured.results[usize(i)], metrics, row);
    row.emplace_back(i == measured.best ? "<- best" : "");
  }
  return table;
}

SummaryTable model_table(const Measured& measured, const std::vector<Index>& columns,
                         Metrics metrics) {
  SummaryTable table{"", {"model", "columns"}, {}};
  add_names(metrics, table.header);
  table.header.push_back(fmt::format("{} less the best's", metrics[0]->name));
  const Results& best = measured.results[usize(measured.best)];
  for (Index i = 0; i < ssize(measured.entries); ++i) {
    const Results& results = measured.results[usize(i)];
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(measured.entries[usize(i)].name);
    row.push_back(std::to_string(columns[usize(i)]));
    add_estimates(results, metrics, row);
    row.push_back(i == measured.best ? "<- best" : shown(difference(results, best, 0)));
  }
  return table;
}

}  // namespace craton::cli
