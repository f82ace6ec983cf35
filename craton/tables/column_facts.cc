#include "craton/tables/column_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "craton/engine/fold.h"
#include "craton/tables/order_statistics.h"
#include "craton/tables/view.h"

// O(n d log G) for chunks of G rows, whose values are sorted, and the passes of quantiles().

namespace craton {
namespace {

// Missing, distinct and counted values of dense rows.
class Seen {
 public:
  explicit Seen(const Schema& schema)
      : missing(usize(schema.size())),
        full(missing.size()),
        steady(missing.size(), 1),
        first(missing.size(), NAN),
        last(first),
        distinct(missing.size()),
        rows(missing.size()) {
    for (std::size_t j = 0; j < schema.columns.size(); ++j) {
      rows[j].resize(schema.columns[j].levels.size());
    }
  }

  void accumulate(const Chunk& chunk) {
    std::visit(
        [&](const auto& x) {
          std::vector<double> row(missing.size());
          std::vector<std::vector<double>> values(missing.size());
          for (Index i = 0; i < x.rows; ++i) {
            copy_row(x, i, row.data());
            for (std::size_t j = 0; j < row.size(); ++j) values[j].push_back(row[j] + 0.0);
          }
          for (std::size_t j = 0; j < row.size(); ++j) add(j, std::move(values[j]));
        },
        chunk.x);
  }
  void merge(const Seen& next) {
    for (std::size_t j = 0; j < missing.size(); ++j) {
      join_run(j, next.first[j], next.last[j], next.steady[j], next.started);
      missing[j] += next.missing[j];
      full[j] |= next.full[j];
      for (std::size_t c = 0; c < rows[j].size(); ++c) rows[j][c] += next.rows[j][c];
      take_in(j, next.distinct[j]);
    }
    started |= next.started;
  }
  void write(Writer& writer) const {
    writer.put(started);
    for (const auto* part : {&missing, &full, &steady}) writer.put(*part);
    for (const auto* part : {&first, &last}) writer.put(*part);
    for (const auto& values : distinct) writer.put(values);
    for (const auto& counts : rows) writer.put(counts);
  }
  void read(Reader& reader) {
    reader.get(started);
    for (auto* part : {&missing, &full, &steady}) reader.get(*part);
    for (auto* part : {&first, &last}) reader.get(*part);
    for (auto& values : distinct) reader.get(values);
    for (auto& counts : rows) reader.get(counts);
  }
  Index words() const { return 8 * ssize(missing); }
  Merge merge_kind() const { return Merge::kTree; }  // counting up depends on the order

  Index started = 0;  // 1: there were rows
  std::vector<Index> missing, full, steady;
  std::vector<double> first, last;
  std::vector<std::vector<double>> distinct;  // ascending
  std::vector<std::vector<Index>> rows;

 private:
  void add(std::size_t j, std::vector<double> values) {
    if (values.empty()) return;
    Index steady_here = 1;
    for (std::size_t i = 1; i < values.size(); ++i) steady_here &= values[i] - values[i - 1] == 1;
    join_run(j, values.front(), values.back(), steady_here, 1);
    if (j + 1 == missing.size()) started = 1;
    missing[j] +=
        static_cast<Index>(std::erase_if(values, [](double value) { return std::isnan(value); }));
    if (!rows[j].empty()) {
      for (const double code : values) ++rows[j][static_cast<std::size_t>(code)];
      return;
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    take_in(j, values);
  }
  void join_run(std::size_t j, double next_first, double next_last, Index next_steady,
                Index next_started) {
    if (next_started == 0) return;
    steady[j] &= next_steady;
    if (started == 0) first[j] = next_first;
    if (started == 1) steady[j] &= next_first - last[j] == 1;
    last[j] = next_last;
  }
  void take_in(std::size_t j, const std::vector<double>& values) {
    std::vector<double> both;
    std::set_union(distinct[j].begin(), distinct[j].end(), values.begin(), values.end(),
                   std::back_inserter(both));
    full[j] |= ssize(both) > ColumnFacts::kMostDistinct;
    distinct[j] = full[j] == 1 ? std::vector<double>{} : std::move(both);
  }
};

std::vector<ColumnFacts> facts_of(Source& x, const Exec& exec) {
  const Seen seen = fold(x, Seen(x.schema()), exec);
  const auto orders = quantiles(x, std::array{0.0, 0.5, 1.0}, exec);
  std::vector<ColumnFacts> result;
  for (std::size_t j = 0; j < seen.missing.size(); ++j) {
    const std::vector<Index>& rows = seen.rows[j];
    const Index levels = std::count_if(rows.begin(), rows.end(), [](Index n) { return n > 0; });
    const Index numbers = seen.full[j] == 1 ? -1 : ssize(seen.distinct[j]);
    result.push_back({.missing = seen.missing[j],
                      .distinct = rows.empty() ? numbers : levels,
                      .least = orders[0][j],
                      .median = orders[1][j],
                      .greatest = orders[2][j],
                      .rows = rows,
                      .counts_up = rows.empty() && x.shape().rows > 1 && seen.steady[j] == 1 &&
                                   std::floor(seen.first[j]) == seen.first[j]});
  }
  return result;
}

}  // namespace

std::vector<ColumnFacts> column_facts(Source& x, Index most, const Exec& exec) {
  constexpr Index kAtOnce = 64;  // columns, whose distinct values are in memory
  std::vector<ColumnFacts> result;
  const Index columns = std::min(most, x.shape().cols);
  for (Index first = 0; first < columns; first += kAtOnce) {
    Selection some;
    for (Index j = first; j < std::min(first + kAtOnce, columns); ++j) {
      some.columns.push_back({.from = j});
    }
    for (ColumnFacts& facts : facts_of(View(x).select(std::move(some)), exec))
      result.push_back(std::move(facts));
  }
  return result;
}

}  // namespace craton
