#include "craton/select/leaks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "craton/engine/for_each.h"
#include "craton/select/sum.h"

namespace craton {
namespace {

constexpr Index kMostLooked = 10000, kFewestLooked = 30, kFewestOthers = 10, kFewestNumbered = 20;
constexpr Index kMostColumnsLooked = 20000, kMostCellsLooked = Index{1} << 22, kLeastLooked = 1000;
constexpr double kTellsLabels = 0.98, kTellsNumbers = 0.999;

// Rows evenly spread, and what is to be told of them.
struct Looked {
  std::vector<double> x;
  Index rows, cols;
  std::vector<std::int32_t> labels = {};
  std::vector<double> numbers = {};
};

Looked look_at(Source& source, const Exec& exec) {
  const auto [n, cols] = source.shape();
  const Index count = std::min({n, kMostLooked, std::max(kLeastLooked, kMostCellsLooked / cols)});
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * n / count);
  Looked looked{std::vector<double>(usize(count * cols)), count, cols};
  source.gather(rows, looked.x);
  if (!source.schema().target) return looked;
  const bool labelled = source.schema().labelled();
  std::vector<double> all(usize(n));
  for_rows(source, exec, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const std::size_t at = usize(i);
      all[usize(chunk.first_row + i)] = !labelled              ? chunk.targets[at]
                                        : chunk.labels.empty() ? -1
                                                               : chunk.labels[at];
    }
  });
  for (const Index row : rows) {
    if (labelled) {
      looked.labels.push_back(static_cast<std::int32_t>(all[usize(row)]));
    } else {
      looked.numbers.push_back(all[usize(row)]);
    }
  }
  return looked;
}

// Rows in the order of a column, whose runs have one value each. Rows without a value are left out.
struct Ordered {
  std::vector<Index> rows, starts;  // of runs, and the end
  std::vector<double> values;       // of runs

  Ordered(const Looked& looked, Index column) {
    const auto value = [&](Index row) { return looked.x[usize(row * looked.cols + column)]; };
    for (Index i = 0; i < looked.rows; ++i) {
      const bool known = looked.labels.empty() || looked.labels[usize(i)] >= 0;
      if (known && !std::isnan(value(i))) rows.push_back(i);
    }
    std::ranges::stable_sort(rows, {}, value);
    for (Index i = 0; i < ssize(rows); ++i) {
      if (i == 0 || value(rows[usize(i)]) != value(rows[usize(i - 1)])) starts.push_back(i);
    }
    for (const Index start : starts) values.push_back(value(rows[usize(start)]));
    starts.push_back(ssize(rows));
  }
  Index runs() const { return ssize(starts) - 1; }
  Index size(Index run) const { return starts[usize(run + 1)] - starts[usize(run)]; }
  // The run whose value is nearest, the lower one of two; requires another.
  Index nearest(Index r) const {
    if (r == 0 || r + 1 == runs()) return r == 0 ? 1 : r - 1;
    const double own = values[usize(r)];
    return own - values[usize(r - 1)] <= values[usize(r + 1)] - own ? r - 1 : r + 1;
  }
  std::span<const Index> run(Index number) const {
    return std::span(rows).subspan(usize(starts[usize(number)]), usize(size(number)));
  }
};

using Counts = std::map<std::int32_t, Index>;

std::int32_t commonest_of(const Counts& counts) {
  return std::ranges::max_element(counts, {}, &Counts::value_type::second)->first;
}

double told_labels(const Ordered& ordered, const Looked& looked, bool categories) {
  std::vector<Counts> counts(usize(ordered.runs()));
  Counts all;
  for (Index r = 0; r < ordered.runs(); ++r) {
    for (const Index row : ordered.run(r)) {
      ++counts[usize(r)][looked.labels[usize(row)]];
      ++all[looked.labels[usize(row)]];
    }
  }
  if (all.empty()) return 0;
  const Index rows = ssize(ordered.rows), others = rows - all[commonest_of(all)];
  if (rows < kFewestLooked || others < kFewestOthers) return 0;
  Index wrong = 0;
  for (Index r = 0; r < ordered.runs(); ++r) {
    const Counts& own = counts[usize(r)];
    if (ordered.size(r) == 1) {  // a value of its own
      const bool alone = categories || ordered.runs() == 1;
      const bool right =
          !alone && commonest_of(counts[usize(ordered.nearest(r))]) == own.begin()->first;
      wrong += right ? 0 : 1;
      continue;
    }
    // The others of a row have the same commonest label as all, or, of that label, another one.
    const std::int32_t top = commonest_of(own);
    Counts less = own;
    if (--less[top] == 0) less.erase(top);
    const Index right = commonest_of(less) == top ? own.at(top) : 0;
    wrong += ordered.size(r) - right;
  }
  return 1 - static_cast<double>(wrong) / static_cast<double>(others);
}

double told_numbers(const Ordered& ordered, const Looked& looked, bool categories) {
  const auto rows = static_cast<double>(ordered.rows.size());
  if (ssize(ordered.rows) < kFewestLooked) return 0;
  std::vector<double> sums;
  Sum all, squares, errors;
  for (Index r = 0; r < ordered.runs(); ++r) {
    Sum sum;
    for (const Index row : ordered.run(r)) sum += looked.numbers[usize(row)];
    sums.push_back(sum.value());
    all += sum.value();
  }
  const auto mean_of_run = [&](Index r) {
    return sums[usize(r)] / static_cast<double>(ordered.size(r));
  };
  for (Index r = 0; r < ordered.runs(); ++r) {
    const auto size = static_cast<double>(ordered.size(r));
    for (const Index row : ordered.run(r)) {
      const double y = looked.numbers[usize(row)];
      double guess = (sums[usize(r)] - y) / (size - 1);
      if (size == 1 && categories) guess = all.value() / rows;
      if (size == 1 && !categories) {
        const Index before = std::max<Index>(r - 1, 0);
        const Index after = std::min(r + 1, ordered.runs() - 1);
        guess = before == r  ? mean_of_run(after)
                : after == r ? mean_of_run(before)
                             : 0.5 * (mean_of_run(before) + mean_of_run(after));
      }
      errors += (y - guess) * (y - guess);
      squares += (y - all.value() / rows) * (y - all.value() / rows);
    }
  }
  return squares.value() > 0 ? 1 - errors.value() / squares.value() : 0;
}

bool ends_in_id(const std::string& name) {
  if (name.size() < 2) return false;
  const char i = name[name.size() - 2], d = name.back();
  const char before = name.size() == 2 ? '_' : name[name.size() - 3];
  const bool apart = (before < 'a' || before > 'z') && (before < 'A' || before > 'Z');
  const bool small = before >= 'a' && before <= 'z';
  return ((i == 'i' || i == 'I') && (d == 'd' || d == 'D') && apart) ||
         (i == 'I' && (d == 'd' || d == 'D') && small);  // userId, userID
}

// Whole numbers that are all different, and rise, or nearly always do; or are called so.
std::optional<Leak::Kind> numbers_rows(const Looked& looked, Index column,
                                       const std::string& name) {
  constexpr double kNearly = 0.95;
  if (looked.rows < kFewestNumbered) return std::nullopt;
  std::vector<double> values;
  for (Index i = 0; i < looked.rows; ++i) {
    values.push_back(looked.x[usize(i * looked.cols + column)]);
  }
  double rises = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] == std::floor(values[i]))) return std::nullopt;
    rises += i > 0 && values[i] > values[i - 1] ? 1 : 0;
  }
  const bool rising = rises >= kNearly * static_cast<double>(values.size() - 1);
  std::ranges::sort(values);
  if (std::ranges::adjacent_find(values) != values.end()) return std::nullopt;
  if (rising) return Leak::Kind::kRowNumber;
  return ends_in_id(name) ? std::optional(Leak::Kind::kIdentifier) : std::nullopt;
}

}  // namespace

std::vector<Leak> find_leaks(Source& x, const Exec& exec) {
  const auto [rows, cols] = x.shape();
  if (rows < kFewestNumbered || cols == 0 || cols > kMostColumnsLooked || !x.in_memory() ||
      has_sparse_rows(x)) {
    return {};
  }
  const Looked looked = look_at(x, exec);
  const Schema& schema = x.schema();
  std::vector<std::optional<Leak>> found(usize(cols));
  for_each(cols, exec, [&](Index j) {
    const Column column = schema.column(j);
    const bool category = column.kind == ColumnKind::kCategory;
    double told = 0;
    if (!looked.labels.empty()) told = told_labels({looked, j}, looked, category);
    if (!looked.numbers.empty()) told = told_numbers({looked, j}, looked, category);
    if (told >= (looked.numbers.empty() ? kTellsLabels : kTellsNumbers)) {
      found[usize(j)] = Leak{column.name, Leak::Kind::kAnswer, told};
    } else if (const auto kind = category ? std::nullopt : numbers_rows(looked, j, column.name)) {
      found[usize(j)] = Leak{column.name, *kind};
    }
  });
  std::vector<Leak> leaks;
  for (std::optional<Leak>& leak : found) {
    if (leak) leaks.push_back(*std::move(leak));
  }
  return leaks;
}

Note note_of(const Leak& leak, const Schema& schema) {
  const bool blank = leak.column.find_first_of(" \t'\"$&|;<>()`\\*?#~") != leak.column.npos;
  const bool quote = blank && leak.column.find('\'') == leak.column.npos;  // as a shell wants it
  const Ref drop = Ref::flag("drop", quote ? "'" + leak.column + "'" : leak.column);
  switch (leak.kind) {
    case Leak::Kind::kAnswer:
      return {"leak",
              {"the column '{}' gives the answer away: by itself it tells {} % of '{}'; if it is "
               "known only afterwards, {} leaves it out",
               leak.column, fmt::format("{:.4g}", 100 * leak.told), schema.target->name, drop}};
    case Leak::Kind::kRowNumber:
      return {"row-numbers",
              {"the column '{}' looks like numbers of rows: {} leaves it out", leak.column, drop}};
    case Leak::Kind::kIdentifier:
      return {"row-numbers",
              {"the column '{}' looks like a name of each row, which says nothing of others: {} "
               "leaves it out",
               leak.column, drop}};
  }
  return {};
}

}  // namespace craton
