#include "craton/report/pages/told_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "craton/base/error.h"
#include "craton/engine/for_each.h"
#include "craton/report/words.h"
#include "craton/tables/view.h"

namespace craton {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// The truth of rows, and their weights.
ToldRows true_rows(Source& x, const Exec& exec) {
  const Index n = x.shape().rows;
  ToldRows rows{.schema = x.schema()};
  if (x.schema().labelled()) rows.truth.assign(usize(n), -1);
  if (x.schema().number_target()) rows.true_numbers.assign(usize(n), kUnknown);
  std::vector<double> weights(usize(n), 1);
  for_rows(x, exec, [&](const Chunk& chunk) {
    const std::ptrdiff_t first = chunk.first_row;
    if (!rows.truth.empty()) std::ranges::copy(chunk.labels, rows.truth.begin() + first);
    if (!rows.true_numbers.empty()) {
      std::ranges::copy(chunk.targets, rows.true_numbers.begin() + first);
    }
    std::ranges::copy(chunk.weights, weights.begin() + first);
  });
  if (has_weights(x)) rows.weights = std::move(weights);
  return rows;
}

double weight_of(const ToldRows& rows, std::size_t i) {
  return rows.weights.empty() ? 1 : rows.weights[i];
}

bool known(const ToldRows& rows, std::size_t i) {
  return rows.labelled() ? rows.truth[i] >= 0 && rows.told[i] >= 0
                         : std::isfinite(rows.true_numbers[i]) && std::isfinite(rows.numbers[i]);
}

double residual(const ToldRows& rows, std::size_t i) {
  return rows.true_numbers[i] - rows.numbers[i];
}

// p(label | row); 1 where probabilities are not known; 0 for a label that no model has met.
double probability(const ToldRows& rows, std::size_t i, std::int32_t label) {
  if (rows.proba.empty()) return 1;
  return label < rows.proba.cols() ? rows.proba.view().row(static_cast<Index>(i))[label] : 0;
}

bool mistaken(const ToldRows& rows, std::size_t i) {
  return known(rows, i) && (!rows.labelled() || rows.truth[i] != rows.told[i]);
}

// Between what a share of n lies, with 95 %.
std::pair<double, double> wilson(double share, double n) {
  constexpr double z = 1.959963984540054;
  const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half =
      z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace

std::optional<ToldRows> tell_rows(const Fitted& fitted, Source& x, const Exec& exec) {
  const Abilities& able = fitted.info().abilities;
  const Index n = x.shape().rows;
  if (able.predict_numbers && x.schema().number_target()) {
    ToldRows rows = true_rows(x, exec);
    rows.numbers.resize(usize(n));
    fitted.model->predict_numbers(x, rows.numbers, exec);
    return rows;
  }
  if (!(able.labels || able.some_labels) || !x.schema().labelled()) return std::nullopt;
  ToldRows rows = true_rows(x, exec);
  rows.told.resize(usize(n));
  fitted.model->predict(x, rows.told, exec);
  if (!able.predict_log_proba) return rows;
  const Index k = fitted.model->classes();
  rows.proba = {{n, k}, std::vector<double>(usize(n * k))};
  fitted.model->predict_log_proba(x, rows.proba.values, exec);
  for (double& p : rows.proba.values) p = std::exp(p);
  return rows;
}

ToldRows tell_rows(Source& x, Predictions held_out, const Exec& exec) {
  ToldRows rows = true_rows(x, exec);
  if (rows.true_numbers.empty()) {
    rows.told = std::move(held_out.labels);
    rows.proba = std::move(held_out.proba);
  } else {
    rows.numbers = std::move(held_out.numbers);
  }
  return rows;
}

Confusion find_confusion(const ToldRows& rows) {
  CRATON_ASSERT(rows.labelled());
  std::vector<std::int32_t> truth = rows.truth;  // a row that nothing was told of has none
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (rows.told[i] < 0) truth[i] = -1;
  }
  return find_confusion({truth, rows.told, rows.weights}, rows.schema);
}

ResultTable values_of_rows(Source& x, std::span<const Index> rows, std::span<const Index> columns,
                           Index most_columns) {
  ResultTable table{.name = "rows", .title = {}};
  const Schema& schema = x.schema();
  const auto count = static_cast<Index>(rows.size());
  std::vector<double> places;
  bool lines = true;
  for (const Index row : rows) lines = lines && x.line_of(row) >= 0;
  for (const Index row : rows) {
    places.push_back(static_cast<double>(lines ? x.line_of(row) : x.row_in_file(row)));
  }
  table.add_numbers(lines ? "line" : "row", places, {0, Digits::Form::kDecimals});
  Selection selection;
  for (const Index j : columns.first(usize(std::min(most_columns, ssize(columns))))) {
    selection.columns.push_back({.from = j});
  }
  const Index cols = ssize(selection.columns);
  if (cols > 0 && count > 0) {
    View chosen(x);
    chosen.select(selection);
    std::vector<double> values(usize(count * cols));
    chosen.gather(rows, values);
    for (Index j = 0; j < cols; ++j) {
      const Column column = schema.column(selection.columns[usize(j)].from);
      std::vector<double> numbers;
      for (Index i = 0; i < count; ++i) numbers.push_back(values[usize(i * cols + j)]);
      if (column.kind != ColumnKind::kCategory) {
        table.add_numbers(column.name, std::move(numbers));
        continue;
      }
      std::vector<std::string> words;
      for (const double code : numbers) {
        const bool has = code >= 0 && code < static_cast<double>(column.levels.size());
        words.push_back(has ? column.levels[static_cast<std::size_t>(code)] : "");
      }
      table.add_words(column.name, std::move(words));
    }
  }
  return table;
}

std::vector<Index> mistaken_rows(const ToldRows& rows, Index most) {
  std::vector<Index> which;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (mistaken(rows, usize(i))) which.push_back(i);
  }
  const auto size = [&](Index i) {
    return rows.labelled() ? probability(rows, usize(i), rows.told[usize(i)])
                           : std::abs(residual(rows, usize(i)));
  };
  std::ranges::stable_sort(which, std::greater{}, size);
  if (ssize(which) > most) which.resize(usize(most));
  return which;
}

Index count_mistakes(const ToldRows& rows) {
  Index count = 0;
  for (Index i = 0; i < rows.rows(); ++i) count += mistaken(rows, usize(i)) ? 1 : 0;
  return count;
}

ResultTable mistakes_table(const ToldRows& rows, Source& x, std::span<const Index> which,
                           std::span<const Index> columns, Index most_columns) {
  ResultTable values = values_of_rows(x, which, columns, most_columns);
  ResultTable table{
      .name = "mistakes",
      .title = rows.labelled() ? "Mistakes, the surest first" : "Farthest from what was predicted"};
  table.columns.push_back(std::move(values.columns[0]));
  if (rows.labelled()) {
    std::vector<std::string> was, told;
    std::vector<double> p, p_was;
    for (const Index i : which) {
      was.push_back(label_name(rows.schema, rows.truth[usize(i)]));
      told.push_back(label_name(rows.schema, rows.told[usize(i)]));
      p.push_back(probability(rows, usize(i), rows.told[usize(i)]));
      p_was.push_back(probability(rows, usize(i), rows.truth[usize(i)]));
    }
    table.add_words(rows.schema.target->name, std::move(was));
    table.add_words("taken for", std::move(told));
    if (!rows.proba.empty()) {
      table.add_numbers("p", std::move(p), {.count = 3});
      table.add_numbers("p of the true one", std::move(p_was), {.count = 3});
    }
  } else {
    std::vector<double> was, told, off;
    for (const Index i : which) {
      was.push_back(rows.true_numbers[usize(i)]);
      told.push_back(rows.numbers[usize(i)]);
      off.push_back(residual(rows, usize(i)));
    }
    table.add_numbers(rows.schema.target->name, std::move(was));
    table.add_numbers("predicted", std::move(told), {.count = 4});
    table.add_numbers("residual", std::move(off), {.count = 4});
  }
  std::move(values.columns.begin() + 1, values.columns.end(), std::back_inserter(table.columns));
  return table;
}

ResultTable calibration_table(const ToldRows& rows) {
  constexpr std::size_t kBins = 10;
  CRATON_ASSERT(rows.labelled() && !rows.proba.empty());
  struct Bin {
    double weight = 0, p = 0, right = 0;
    Index rows = 0;
  };
  std::vector<Bin> bins(kBins);
  for (std::size_t i = 0; i < rows.told.size(); ++i) {
    if (!known(rows, i)) continue;
    const double p = probability(rows, i, rows.told[i]), w = weight_of(rows, i);
    Bin& bin = bins[std::min(kBins - 1, static_cast<std::size_t>(p * double{kBins}))];
    bin.weight += w;
    bin.p += w * p;
    bin.right += rows.told[i] == rows.truth[i] ? w : 0;
    bin.rows += 1;
  }
  std::vector<double> p, right, from, to, count;
  for (const Bin& bin : bins) {
    if (!(bin.weight > 0)) continue;
    p.push_back(bin.p / bin.weight);
    right.push_back(bin.right / bin.weight);
    const auto [low, high] = wilson(right.back(), static_cast<double>(bin.rows));
    from.push_back(low);
    to.push_back(high);
    count.push_back(static_cast<double>(bin.rows));
  }
  ResultTable table{.name = "calibration", .title = "How sure it was, and how often it was right"};
  table.add_numbers("mean p of the label told", std::move(p), {.count = 3});
  table.add_numbers("share that is right", std::move(right), {.count = 3});
  table.add_numbers("from 95%", std::move(from), {.count = 3});
  table.add_numbers("to", std::move(to), {.count = 3});
  table.add_numbers("rows", std::move(count), {0, Digits::Form::kDecimals});
  return table;
}

double calibration_error(const ResultTable& calibration) {
  const auto &p = *calibration.columns[0].numbers(), &right = *calibration.columns[1].numbers(),
             &rows = *calibration.columns[4].numbers();
  double error = 0, all = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    error += rows[i] * std::abs(right[i] - p[i]);
    all += rows[i];
  }
  return all > 0 ? error / all : 0;
}

}  // namespace craton
