#include "craton/tables/column_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "craton/engine/fold.h"
#include "craton/tables/order_statistics.h"
#include "craton/tables/view.h"

// O(n d log G) for chunks of G rows, whose values are sorted, the passes of quantiles(), and one
// more for what needs the range and the median: bars and moments.

namespace craton {
namespace {

using Value = ColumnFacts::Value;

// The first distinct values of two lists that are in the same order.
template <class Before>
void join_ends(std::vector<Value>& ends, const std::vector<Value>& next, Before before) {
  std::vector<Value> both;
  auto a = ends.begin();
  auto b = next.begin();
  while (both.size() < ColumnFacts::kMostEnds && (a != ends.end() || b != next.end())) {
    if (b == next.end() || (a != ends.end() && before(a->value, b->value))) {
      both.push_back(*a++);
    } else if (a == ends.end() || before(b->value, a->value)) {
      both.push_back(*b++);
    } else {
      both.push_back({a->value, a->rows + b->rows, std::min(a->first, b->first)});
      ++a, ++b;
    }
  }
  ends = std::move(both);
}

// Missing, distinct and counted values of dense rows, and the values at the ends.
class Seen {
 public:
  explicit Seen(const Schema& schema)
      : missing(usize(schema.size())),
        infinite(missing.size()),
        full(missing.size()),
        steady(missing.size(), 1),
        whole(missing.size(), 1),
        first(missing.size(), NAN),
        last(first),
        distinct(missing.size()),
        low(missing.size()),
        high(missing.size()),
        rows(missing.size()),
        first_rows(missing.size()) {
    for (std::size_t j = 0; j < schema.columns.size(); ++j) {
      rows[j].resize(schema.columns[j].levels.size());
      first_rows[j].resize(schema.columns[j].levels.size(), -1);
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
          for (std::size_t j = 0; j < row.size(); ++j) add(j, values[j], chunk.first_row);
        },
        chunk.x);
  }
  void merge(const Seen& next) {
    for (std::size_t j = 0; j < missing.size(); ++j) {
      join_run(j, next.first[j], next.last[j], next.steady[j], next.started);
      missing[j] += next.missing[j];
      infinite[j] += next.infinite[j];
      full[j] |= next.full[j];
      whole[j] &= next.whole[j];
      for (std::size_t c = 0; c < rows[j].size(); ++c) {
        rows[j][c] += next.rows[j][c];
        if (first_rows[j][c] < 0) first_rows[j][c] = next.first_rows[j][c];
      }
      take_in(j, next.distinct[j]);
      join_ends(low[j], next.low[j], std::less<>());
      join_ends(high[j], next.high[j], std::greater<>());
    }
    started |= next.started;
  }
  void write(Writer& writer) const {
    writer.put(started);
    for (const auto* part : {&missing, &infinite, &full, &steady, &whole}) writer.put(*part);
    for (const auto* part : {&first, &last}) writer.put(*part);
    for (const auto& values : distinct) writer.put(values);
    for (const auto* counts : {&rows, &first_rows}) {
      for (const auto& of_column : *counts) writer.put(of_column);
    }
    for (const auto* ends : {&low, &high}) {
      for (const auto& of_column : *ends) writer.put(of_column);
    }
  }
  void read(Reader& reader) {
    reader.get(started);
    for (auto* part : {&missing, &infinite, &full, &steady, &whole}) reader.get(*part);
    for (auto* part : {&first, &last}) reader.get(*part);
    for (auto& values : distinct) reader.get(values);
    for (auto* counts : {&rows, &first_rows}) {
      for (auto& of_column : *counts) reader.get(of_column);
    }
    for (auto* ends : {&low, &high}) {
      for (auto& of_column : *ends) reader.get(of_column);
    }
  }
  Index words() const { return 8 * ssize(missing); }
  Merge merge_kind() const { return Merge::kTree; }  // counting up depends on the order

  Index started = 0;  // 1: there were rows
  std::vector<Index> missing, infinite, full, steady, whole;
  std::vector<double> first, last;
  std::vector<std::vector<double>> distinct;  // ascending
  std::vector<std::vector<Value>> low, high;
  std::vector<std::vector<Index>> rows, first_rows;

 private:
  void add(std::size_t j, const std::vector<double>& values, Index first_row) {
    if (values.empty()) return;
    Index steady_here = 1;
    for (std::size_t i = 1; i < values.size(); ++i) steady_here &= values[i] - values[i - 1] == 1;
    join_run(j, values.front(), values.back(), steady_here, 1);
    if (j + 1 == missing.size()) started = 1;
    if (!rows[j].empty()) {
      count_levels(j, values, first_row);
      return;
    }
    std::vector<double> sorted;
    for (const double value : values) {
      if (!std::isnan(value)) sorted.push_back(value);
      infinite[j] += std::isinf(value) ? 1 : 0;
      whole[j] &= !std::isfinite(value) || value == std::floor(value);
    }
    missing[j] += ssize(values) - ssize(sorted);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    take_in(j, sorted);
    take_ends(j, values, sorted, first_row);
  }
  void count_levels(std::size_t j, const std::vector<double>& codes, Index first_row) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (std::isnan(codes[i])) {
        ++missing[j];
        continue;
      }
      const auto code = static_cast<std::size_t>(codes[i]);
      if (rows[j][code]++ == 0) first_rows[j][code] = first_row + static_cast<Index>(i);
    }
  }
  // requires an accumulator without rows so far.
  void take_ends(std::size_t j, const std::vector<double>& values,
                 const std::vector<double>& sorted, Index first_row) {
    const std::size_t count = std::min(sorted.size(), ColumnFacts::kMostEnds);
    for (std::size_t e = 0; e < count; ++e) {
      low[j].push_back({sorted[e], 0, -1});
      high[j].push_back({sorted[sorted.size() - 1 - e], 0, -1});
    }
    for (std::size_t i = 0; i < values.size() && count > 0; ++i) {
      const Index row = first_row + static_cast<Index>(i);
      if (values[i] <= low[j].back().value) count_end(low[j], values[i], row);
      if (values[i] >= high[j].back().value) count_end(high[j], values[i], row);
    }
  }
  static void count_end(std::vector<Value>& ends, double value, Index row) {
    for (Value& end : ends) {
      if (end.value != value) continue;
      if (end.rows++ == 0) end.first = row;
    }
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

// Where the finite values of a column lie. In units of `unit`, a power of two, none is greater than
// 1/2, so that no sum or square overflows; about the median, which lies within a deviation of the
// mean, sums of squares cancel by half at most.
struct Range {
  double least = NAN, greatest = NAN, middle = 0, unit = 1;
  Index bars = 0;
  bool bar_each = false;

  double scaled(double value) const { return value * unit; }
  std::size_t bar(double value) const {
    if (bar_each) return static_cast<std::size_t>(value - least);
    const double low = scaled(least), width = scaled(greatest) - low;
    const double at = (scaled(value) - low) / width * static_cast<double>(bars);
    return static_cast<std::size_t>(std::min(at, static_cast<double>(bars - 1)));
  }
};

Range range_of(const Seen& seen, std::size_t j, double median) {
  constexpr Index kBars = 8, kMostBars = 12;
  Range range;
  const auto finite = [](const Value& end) { return std::isfinite(end.value); };
  const auto low = std::find_if(seen.low[j].begin(), seen.low[j].end(), finite);
  if (low == seen.low[j].end()) return range;
  range.least = low->value;
  range.greatest = std::find_if(seen.high[j].begin(), seen.high[j].end(), finite)->value;
  range.middle = std::clamp(median, range.least, range.greatest);
  int exponent = 0;
  std::frexp(std::max({std::abs(range.least), std::abs(range.greatest), 0x1p-900}), &exponent);
  range.unit = std::ldexp(1.0, -exponent - 1);
  range.bar_each = seen.whole[j] == 1 && range.greatest - range.least < double(kMostBars);
  range.bars = range.bar_each ? static_cast<Index>(range.greatest - range.least) + 1
               : range.greatest == range.least ? 1
                                               : kBars;
  range.bar_each |= range.bars == 1;
  return range;
}

// What needs the range: bars and moments about the middle.
class Spread {
 public:
  explicit Spread(const std::vector<Range>& ranges)
      : ranges_(&ranges), sums(ranges.size()), squares(ranges.size()), bars(ranges.size()) {
    for (std::size_t j = 0; j < ranges.size(); ++j) bars[j].resize(usize(ranges[j].bars));
  }
  void accumulate(const Chunk& chunk) {
    std::visit(
        [&](const auto& x) {
          std::vector<double> row(sums.size());
          for (Index i = 0; i < x.rows; ++i) {
            copy_row(x, i, row.data());
            for (std::size_t j = 0; j < row.size(); ++j) add(j, row[j]);
          }
        },
        chunk.x);
  }
  void merge(const Spread& next) {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += next.sums[j];
      squares[j] += next.squares[j];
      for (std::size_t b = 0; b < bars[j].size(); ++b) bars[j][b] += next.bars[j][b];
    }
  }
  void write(Writer& writer) const {
    for (const auto* part : {&sums, &squares}) writer.put(*part);
    for (const auto& counts : bars) writer.put(counts);
  }
  void read(Reader& reader) {
    for (auto* part : {&sums, &squares}) reader.get(*part);
    for (auto& counts : bars) reader.get(counts);
  }
  Index words() const { return 10 * ssize(sums); }
  Merge merge_kind() const { return Merge::kTree; }

 private:
  void add(std::size_t j, double value) {
    const Range& range = (*ranges_)[j];
    if (range.bars == 0 || !std::isfinite(value)) return;
    const double v = range.scaled(value) - range.scaled(range.middle);
    sums[j] += v;
    squares[j] += v * v;
    ++bars[j][range.bar(value)];
  }
  const std::vector<Range>* ranges_;

 public:
  std::vector<double> sums, squares;
  std::vector<std::vector<Index>> bars;
};

void add_spread(ColumnFacts& facts, const Range& range, double sum, double squares,
                std::vector<Index> bars) {
  facts.mean = facts.deviation = NAN;
  facts.bars = std::move(bars);
  const auto n = static_cast<double>(facts.numbers());
  if (n == 0) return;
  // In units of a half, so that what lies at the end of the doubles does not overflow on its way.
  const double middle = range.scaled(range.middle) + sum / n;
  facts.mean = std::clamp(middle / range.unit, range.least, range.greatest);
  if (n > 1)
    facts.deviation = std::sqrt(std::max(squares - sum * (sum / n), 0.0) / (n - 1)) / range.unit;
  facts.bars_from = range.bar_each ? range.least - 0.5 : range.least;
  const double width = range.scaled(range.greatest) - range.scaled(range.least);
  facts.bar_width = range.bar_each ? 1 : width / static_cast<double>(range.bars) / range.unit;
}

std::vector<ColumnFacts> facts_of(Source& x, const Exec& exec) {
  const Seen seen = fold(x, Seen(x.schema()), exec);
  const auto orders = quantiles(x, std::array{0.0, 0.25, 0.5, 0.75, 1.0}, exec);
  std::vector<Range> ranges(seen.missing.size());
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    if (seen.rows[j].empty()) ranges[j] = range_of(seen, j, orders[2][j]);
  }
  Spread spread = fold(x, Spread(ranges), exec);
  std::vector<ColumnFacts> result;
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const std::vector<Index>& rows = seen.rows[j];
    const Index levels = std::count_if(rows.begin(), rows.end(), [](Index n) { return n > 0; });
    const Index numbers = seen.full[j] == 1 ? -1 : ssize(seen.distinct[j]);
    ColumnFacts facts{.missing = seen.missing[j],
                      .infinite = seen.infinite[j],
                      .distinct = rows.empty() ? numbers : levels,
                      .least = orders[0][j],
                      .lower_quartile = orders[1][j],
                      .median = orders[2][j],
                      .upper_quartile = orders[3][j],
                      .greatest = orders[4][j],
                      .low = seen.low[j],
                      .high = seen.high[j],
                      .whole = seen.whole[j] == 1 && ranges[j].bars > 0,
                      .counts_up = rows.empty() && x.shape().rows > 1 && seen.steady[j] == 1 &&
                                   std::floor(seen.first[j]) == seen.first[j],
                      .rows = rows,
                      .first = seen.first_rows[j]};
    add_spread(facts, ranges[j], spread.sums[j], spread.squares[j], std::move(spread.bars[j]));
    result.push_back(std::move(facts));
  }
  return result;
}

}  // namespace

Index ColumnFacts::numbers() const { return std::accumulate(bars.begin(), bars.end(), Index{0}); }

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
