#include "craton/report/plots/column_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "craton/draw/axes.h"

namespace craton {
namespace {

constexpr Index kCuts = 8;           // parts of a column of numbers
constexpr Index kMostAsked = 2000;   // rows
constexpr std::int32_t kNoPart = 0;  // of what is missing

// The part of each row that a column puts it in: 0, 1, ...
std::vector<std::int32_t> parts_of(const DrawnRows& rows, std::span<const Index> asked,
                                   Index column) {
  std::vector<double> values, sorted;
  for (const Index i : asked) values.push_back(rows.table.x.view().row(i)[column]);
  std::vector<std::int32_t> parts(values.size(), kNoPart);
  if (rows.table.schema.column(column).kind == ColumnKind::kCategory) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] >= 0 && values[i] < 1e6) parts[i] = 1 + static_cast<std::int32_t>(values[i]);
    }
    return parts;
  }
  for (const double v : values) {
    if (can_draw(v)) sorted.push_back(v);
  }
  if (sorted.empty()) return parts;
  std::ranges::sort(sorted);
  std::vector<double> ends;
  for (const Index i : pick_evenly(ssize(sorted), kCuts)) ends.push_back(sorted[usize(i)]);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!can_draw(values[i])) continue;
    parts[i] = static_cast<std::int32_t>(std::ranges::upper_bound(ends, values[i]) - ends.begin());
  }
  return parts;
}

// In nats, less what so many cells of so few rows have by chance: (cells - 1)(groups - 1) / 2n
// (Miller 1955).
double information(std::span<const std::int32_t> parts, std::span<const std::int32_t> groups) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> both;
  std::map<std::int32_t, double> one, other;
  const auto n = static_cast<double>(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    both[{parts[i], groups[i]}] += 1 / n;
    one[parts[i]] += 1 / n;
    other[groups[i]] += 1 / n;
  }
  double sum = 0;
  for (const auto& [cell, p] : both) {
    sum += p * std::log(p / (one[cell.first] * other[cell.second]));
  }
  return sum - static_cast<double>((one.size() - 1) * (other.size() - 1)) / (2 * n);
}

struct Asked {
  std::vector<Index> rows;
  std::vector<std::int32_t> groups;
};
Asked ask_some(const DrawnRows& rows, std::span<const std::int32_t> groups) {
  Asked asked{pick_evenly(rows.rows(), kMostAsked), {}};
  for (const Index i : asked.rows) {
    asked.groups.push_back(groups.empty() ? 0 : groups[usize(i)]);
  }
  return asked;
}

}  // namespace

std::vector<Index> by_what_they_tell(const DrawnRows& rows, std::span<const std::int32_t> groups) {
  const Asked asked = ask_some(rows, groups);
  std::vector<double> told;
  for (Index j = 0; j < rows.table.x.cols(); ++j) {
    told.push_back(groups.empty() ? 0 : information(parts_of(rows, asked.rows, j), asked.groups));
  }
  std::vector<Index> order(told.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::greater{}, [&](Index j) { return told[usize(j)]; });
  return order;
}

PlotColumns telling_columns(const DrawnRows& rows, std::span<const std::int32_t> groups) {
  const Index d = rows.table.x.cols();
  if (d < 2) return {0, -1};
  if (d == 2 || groups.empty()) return {0, 1};
  const Index first = by_what_they_tell(rows, groups)[0];
  const Asked asked = ask_some(rows, groups);
  const std::vector<std::int32_t> of_first = parts_of(rows, asked.rows, first);
  Index second = -1;
  double most = 0;
  for (Index j = 0; j < d; ++j) {
    if (j == first) continue;
    std::vector<std::int32_t> of_both = parts_of(rows, asked.rows, j);
    constexpr std::int32_t kMany = 1 << 15;
    for (std::size_t i = 0; i < of_both.size(); ++i) {
      of_both[i] = (of_both[i] % kMany) * kMany + of_first[i] % kMany;
    }
    const double told = information(of_both, asked.groups);
    if (second >= 0 && told <= most) continue;
    second = j, most = told;
  }
  return {first, second};
}

std::vector<std::int32_t> groups_of(const Fitted& fitted, const DrawnRows& rows, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  if (able.labels || !able.predict) return rows.labels;
  return labels(fitted, rows.table, exec);
}

PlotColumns telling_columns(const Fitted& fitted, Source& x, const Exec& exec) {
  const DrawnRows rows = read_drawn_rows(x, exec);
  return telling_columns(rows, groups_of(fitted, rows, exec));
}

}  // namespace craton
