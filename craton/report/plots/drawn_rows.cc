#include "craton/report/plots/drawn_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "craton/draw/axes.h"
#include "craton/draw/text.h"
#include "craton/engine/for_each.h"
#include "craton/report/words.h"

namespace craton {
namespace {

constexpr Index kMostDrawn = 20000, kMostDrawnValues = 20'000'000, kFewestDrawn = 500;

}  // namespace

MemorySource DrawnRows::source() const {
  return MemorySource(
      {.x = table.x.view(), .labels = labels, .targets = table.targets, .weights = table.weights},
      table.schema, table.name);
}

std::vector<double> DrawnRows::column(Index j) const {
  std::vector<double> values;
  for (Index i = 0; i < rows(); ++i) values.push_back(table.x.view().row(i)[j]);
  return values;
}

std::string DrawnRows::told() const {
  if (rows() == of) return plural(of, "row");
  return fmt::format("{} of {} rows", grouped_digits(rows()), grouped_digits(of));
}

DrawnRows read_drawn_rows(Source& x, const Exec& exec) {
  const auto [all, d] = x.shape();
  const Index most =
      std::max(kFewestDrawn, std::min(kMostDrawn, kMostDrawnValues / std::max<Index>(d, 1)));
  const std::vector<Index> picked = pick_evenly(all, most);
  const Index n = ssize(picked);
  DrawnRows rows{.table = {.schema = x.schema(),
                           .x = Array{{n, d}, std::vector<double>(usize(n * d))},
                           .name = x.name()},
                 .of = all};
  rows.table.schema.texts.clear();
  rows.table.schema.inner.clear();
  if (has_weights(x)) rows.table.weights.resize(usize(n));
  if (x.schema().labelled()) rows.labels.resize(usize(n), -1);
  if (x.schema().number_target()) rows.table.targets.assign(usize(n), NAN);
  for_rows(x, exec, [&](const Chunk& chunk) {
    const Index first = chunk.first_row;
    auto at = std::ranges::lower_bound(picked, first) - picked.begin();
    for (; at < n && picked[usize(at)] < first + chunk.rows(); ++at) {
      const Index row = picked[usize(at)] - first;
      std::visit(
          [&](const auto& values) { copy_row(values, row, &rows.table.x.values[usize(at * d)]); },
          chunk.x);
      if (!rows.table.weights.empty()) rows.table.weights[usize(at)] = chunk.weight(row);
      if (!rows.labels.empty() && !chunk.labels.empty())
        rows.labels[usize(at)] = chunk.labels[usize(row)];
      if (!rows.table.targets.empty() && !chunk.targets.empty())
        rows.table.targets[usize(at)] = chunk.targets[usize(row)];
    }
  });
  return rows;
}

}  // namespace craton
