#include "craton/density/histogram.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "craton/base/error.h"
#include "craton/base/hash.h"
#include "craton/base/random.h"
#include "craton/engine/for_each.h"
#include "craton/model/registered_model.h"
#include "craton/tables/columns.h"

// A fit is what finds the cells (bin_rules.h), and one pass that counts. A density costs O(columns
// x log(cells)).

namespace craton {
namespace {

using Kind = HistogramColumn::Kind;
using AllColumns = std::vector<HistogramColumn>;

constexpr double kFarEnd = 1e15;  // of given ends of bins

}  // namespace

void describe(OptionVisitor& v, HistogramDensity::Options& o) {
  CellOptions& c = o.cells;
  v.choice_or_number(
      "bins", c.bins, c.number_of_bins, 1, kMostCells,
      {"auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt", "values"},
      "how many bins of equal width each column of numbers has, or NumPy's rule for that; values: "
      "whole numbers have a cell each");
  v.choice_or_number("low", c.low, c.given_low, -kFarEnd, kFarEnd, {"data"},
                     "where so many bins begin; data: at the least value of each column");
  v.choice_or_number("high", c.high, c.given_high, -kFarEnd, kFarEnd, {"data"},
                     "where they end; data: at the greatest value");
  v.array("edges", c.edges, "the ends of all bins, ascending, the same in every column of numbers");
  v.number("alpha", o.alpha, 0, kHeaviest, "what is added to the weight of the rows in each cell");
}

// ---- fits

HistogramDensity::HistogramDensity(std::vector<HistogramColumn> columns, double alpha)
    : columns_(std::move(columns)), alpha_(alpha) {
  for (Index j = 0; j < this->columns(); ++j) {
    const HistogramColumn& of = column(j);
    totals_.push_back(of.weight() + alpha_ * static_cast<double>(of.cells()));
    std::vector<double> logs, up_to;
    double sum = 0;
    for (Index k = 0; k < of.cells(); ++k) {
      const double p = probability(j, k);
      logs.push_back(std::log(p) - std::log(of.width(k)));
      up_to.push_back(sum += p);
    }
    log_density_.push_back(std::move(logs));
    up_to_.push_back(std::move(up_to));
  }
}

double HistogramDensity::probability(Index j, Index cell) const {
  return (column(j).counts[usize(cell)] + alpha_) / totals_[usize(j)];
}

Fit<HistogramDensity> HistogramDensity::fitted(std::vector<HistogramColumn> columns, double alpha,
                                               std::vector<Note> notes, std::uint64_t data_hash) {
  HistogramDensity model(std::move(columns), alpha);
  FitReport report;
  for (std::size_t j = 0; j < model.columns_.size(); ++j) {
    const HistogramColumn& of = model.columns_[j];
    const double weight = of.weight();
    for (std::size_t k = 0; k < of.counts.size(); ++k) {
      if (of.counts[k] > 0) report.objective += of.counts[k] / weight * model.log_density_[j][k];
    }
  }
  report.iterations = 1;
  report.converged = true;
  report.trace = {report.objective};
  report.notes = std::move(notes);
  report.data_hash = hash_text(data_hash);
  return {std::move(model), std::move(report)};
}

Fit<HistogramDensity> HistogramDensity::fit(Source& x, const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  check_cells(options.cells);
  const ColumnStatistics table = check_table(x, exec);
  AllColumns columns = find_cells(x, options.cells, table.weight(), exec);
  std::vector<Note> notes;
  count_rows(columns, x, notes, exec);
  for (Index j = 0; j < ssize(columns); ++j) check_total(columns[usize(j)], place_of_column(x, j));
  return fitted(std::move(columns), options.alpha, std::move(notes),
                hash_number(table.data_hash()));
}

Fit<HistogramDensity> HistogramDensity::partial_fit(const Fit<HistogramDensity>& so_far, Source& x,
                                                    const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  AllColumns columns = so_far.model.columns_;
  check_given(columns, x.schema());
  std::vector<Note> notes;
  const AllColumns more = counts_like(columns, x, notes, exec);
  for (Index j = 0; j < ssize(columns); ++j) {
    add_counts(columns[usize(j)], more[usize(j)], place_of_column(x, j));
    check_total(columns[usize(j)], place_of_column(x, j));
  }
  return fitted(
      std::move(columns), options.alpha, std::move(notes),
      hash_number(so_far.report.data_hash) + hash_number(check_table(x, exec).data_hash()));
}

Fit<HistogramDensity> HistogramDensity::unlearn(const Fit<HistogramDensity>& so_far, Source& x,
                                                const Options& options, const Exec& exec) {
  check_options([o = options](OptionVisitor& v) mutable { describe(v, o); });
  AllColumns columns = so_far.model.columns_;
  check_given(columns, x.schema());
  std::vector<Note> notes;
  const AllColumns less = counts_like(columns, x, notes, exec);
  for (std::size_t j = 0; j < columns.size(); ++j) subtract_counts(columns[j], less[j]);
  return fitted(
      std::move(columns), options.alpha, std::move(notes),
      hash_number(so_far.report.data_hash) - hash_number(check_table(x, exec).data_hash()));
}

Fit<HistogramDensity> HistogramDensity::merge(const Fit<HistogramDensity>& a,
                                              const Fit<HistogramDensity>& b,
                                              const Options& options) {
  const Schema schema = numbered_schema(a.model.columns());
  AllColumns columns = a.model.columns_;
  check_given(columns, schema);
  check_given(b.model.columns_, schema);
  for (Index j = 0; j < ssize(columns); ++j) {
    const Place place{.column = schema.name(j)};
    add_counts(columns[usize(j)], b.model.column(j), place);
    check_total(columns[usize(j)], place);
  }
  return fitted(std::move(columns), options.alpha, {},
                hash_number(a.report.data_hash) + hash_number(b.report.data_hash));
}

// ---- what it says of rows

double HistogramDensity::density(Index j, double x) const {
  const Index cell = column(j).cell_of(x);
  return cell < 0 ? -INFINITY : log_density_[usize(j)][usize(cell)];
}

double HistogramDensity::cdf(Index j, double x) const {
  const HistogramColumn& of = column(j);
  const std::vector<double>& up_to = up_to_[usize(j)];
  if (x < of.low()) return 0;
  if (!(x < of.high())) return 1;
  const Index cell = of.cell_of(of.bins() ? x : std::floor(x));
  const double after = up_to[usize(cell)];
  if (!of.bins()) return after;
  return after - probability(j, cell) * ((of.edges[usize(cell) + 1] - x) / of.width(cell));
}

double HistogramDensity::quantile(Index j, double p) const {
  if (!(p > 0 && p < 1)) {
    throw InputError(Code::kBadOption, {}, fmt::format("there is no quantile of p = {}", p),
                     "Give a probability between 0 and 1.");
  }
  const HistogramColumn& of = column(j);
  const std::vector<double>& up_to = up_to_[usize(j)];
  const auto cell = std::lower_bound(up_to.begin(), up_to.end() - 1, p) - up_to.begin();
  if (!of.bins()) return of.first + static_cast<double>(cell);
  const double from = of.edges[usize(cell)], to = of.edges[usize(cell) + 1];
  const double share = (up_to[usize(cell)] - p) / probability(j, cell);
  return std::max(from, to - std::max(share, 0.0) * (to - from));
}

double HistogramDensity::score_row(const double* row, double*) const {
  double sum = 0;
  for (Index j = 0; j < columns(); ++j) {
    if (!std::isfinite(row[j])) return NAN;
    sum += density(j, row[j]);
  }
  return sum;
}

void HistogramDensity::score_samples(Source& x, std::span<double> log_density,
                                     const Exec& exec) const {
  check_columns(x, columns());
  for_rows(x, exec, [&](const Chunk& chunk) {
    check_finite(chunk, x);
    std::vector<double> row(usize(columns()));
    for (Index i = 0; i < chunk.rows(); ++i) {
      std::visit([&](const auto& rows) { copy_row(rows, i, row.data()); }, chunk.x);
      log_density[usize(chunk.first_row + i)] = score_row(row.data(), nullptr);
    }
  });
}

void HistogramDensity::contributions(const Chunk& chunk, Index row, Index,
                                     std::span<double> out) const {
  std::vector<double> values(usize(columns()));
  std::visit([&](const auto& x) { copy_row(x, row, values.data()); }, chunk.x);
  out[0] = 0;
  for (Index j = 0; j < columns(); ++j) out[usize(j) + 1] = density(j, values[usize(j)]);
}

double HistogramDensity::score(Source& x, const Exec& exec) const {
  check_columns(x, columns());
  const double weight = check_table(x, exec).weight();
  std::vector<double> log_density(usize(x.shape().rows));
  score_samples(x, log_density, exec);
  double sum = 0;
  for_rows(x, {.threads = 1}, [&](const Chunk& chunk) {
    for (Index i = 0; i < chunk.rows(); ++i) {
      const double w = chunk.weight(i);
      if (w > 0) sum += w * log_density[usize(chunk.first_row + i)];
    }
  });
  return sum / weight;
}

// A cell by its probability, and a place in it by its width.
Sample HistogramDensity::sample(Index rows, std::uint64_t seed) const {
  const Index d = columns();
  Sample sample{{{rows, d}, std::vector<double>(usize(rows * d))},
                std::vector<std::int32_t>(usize(rows))};
  for (Index i = 0; i < rows; ++i) {
    Random random(seed, Purpose::kSample, 0, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < d; ++j) {
      const HistogramColumn& of = column(j);
      const std::vector<double>& up_to = up_to_[usize(j)];
      const auto cell =
          std::upper_bound(up_to.begin(), up_to.end() - 1, random.uniform() * up_to.back()) -
          up_to.begin();
      double& value = sample.x.values[usize(i * d + j)];
      value = of.first + static_cast<double>(cell);
      if (!of.bins()) continue;
      const double from = of.edges[usize(cell)], to = of.edges[usize(cell) + 1];
      value = from + random.uniform() * (to - from);
      if (!(value < to)) value = from;  // rounding: the next cell may have no rows
    }
  }
  return sample;
}

Index HistogramDensity::free_parameters(const Options&) const {
  Index sum = 0;
  for (const HistogramColumn& of : columns_) sum += of.cells() - 1;
  return sum;
}

// ---- what it learned, as arrays for model files and as tables for people

void HistogramDensity::visit_parameters(ParameterVisitor& v) const {
  Array kinds{{columns(), 3}, {}}, edges{{0}, {}}, counts{{0}, {}};
  for (const HistogramColumn& of : columns_) {
    kinds.values.insert(kinds.values.end(),
                        {static_cast<double>(of.kind), static_cast<double>(of.cells()), of.first});
    edges.values.insert(edges.values.end(), of.edges.begin(), of.edges.end());
    counts.values.insert(counts.values.end(), of.counts.begin(), of.counts.end());
  }
  edges.shape = {ssize(edges.values)};
  counts.shape = {ssize(counts.values)};
  v.doubles("kinds",
            "of each column: 0 bins by a rule, 1 bins that were given, 2 whole numbers, 3 "
            "categories; how many cells; the value of the first, if it has one",
            std::move(kinds));
  v.doubles("edges", "the ends of the bins, column after column", std::move(edges));
  v.doubles("counts", "the weight of the rows in each cell, column after column",
            std::move(counts));
  v.number("alpha", "what is added to each of these", alpha_);
}

HistogramDensity HistogramDensity::from_parameters(const ParameterList& parameters) {
  const ArrayView kinds = parameters.doubles("kinds", {-1, 3});
  std::span<const double> edges = parameters.doubles("edges", {-1}).values;
  std::span<const double> counts = parameters.doubles("counts", {-1}).values;
  const double alpha = parameters.number("alpha");
  if (kinds.empty()) fail_parameters("there are no columns");
  if (!(alpha >= 0 && alpha <= kHeaviest)) fail_parameters("alpha makes no sense");
  const auto take = [](std::span<const double>& from, double size) {
    if (!(size <= static_cast<double>(from.size()))) fail_parameters("there are too few cells");
    const auto count = static_cast<std::size_t>(size);
    const std::vector<double> taken(from.begin(), from.begin() + static_cast<Index>(count));
    from = from.subspan(count);
    return taken;
  };
  AllColumns columns;
  for (Index j = 0; j < kinds.rows(); ++j) {
    const double kind = kinds.view().row(j)[0], cells = kinds.view().row(j)[1];
    HistogramColumn of{.first = kinds.view().row(j)[2]};
    if (!(kind == 0 || kind == 1 || kind == 2 || kind == 3)) fail_parameters("a kind of column");
    if (!(cells >= 1 && cells <= kMostCells && cells == std::floor(cells))) {
      fail_parameters("a number of cells makes no sense");
    }
    of.kind = static_cast<Kind>(static_cast<int>(kind));
    of.counts = take(counts, cells);
    if (of.bins()) of.edges = take(edges, cells + 1);
    const bool first = of.kind == Kind::kValues
                           ? of.first == std::floor(of.first) && std::abs(of.first) <= 0x1p53
                           : of.first == 0;
    if (!first) fail_parameters("the first value of a column makes no sense");
    if (of.bins() && !are_edges(of.edges)) fail_parameters("the ends of bins do not ascend");
    const auto sound = [](double c) { return c >= 0 && std::isfinite(c); };
    const double weight = of.weight();
    if (!std::ranges::all_of(of.counts, sound) || !(weight > 0 && weight <= 2 * kHeaviest)) {
      fail_parameters("the weights of cells make no sense");
    }
    columns.push_back(std::move(of));
  }
  if (!edges.empty() || !counts.empty()) fail_parameters("there are more cells than columns have");
  return HistogramDensity(std::move(columns), alpha);
}

namespace {

// What a column is cut into: "12 bins".
std::string cells_in_words(const HistogramColumn& of) {
  const char* const what = of.bins() ? "bin" : of.kind == Kind::kValues ? "value" : "level";
  return fmt::format("{} {}{}", of.cells(), what, of.cells() == 1 ? "" : "s");
}

std::string cell_name(const HistogramColumn& of, Index cell, const Column& column) {
  if (of.bins()) {
    return fmt::format("{:.6g} to {:.6g}", of.edges[usize(cell)], of.edges[usize(cell) + 1]);
  }
  if (cell < ssize(column.levels)) return column.levels[usize(cell)];
  return fmt::format("{}", of.first + static_cast<double>(cell));
}

}  // namespace

std::vector<ResultTable> HistogramDensity::tables(const Schema& schema) const {
  return *tables_before(schema, {});
}

std::optional<std::vector<ResultTable>> HistogramDensity::tables_before(
    const Schema& schema, const Affine& scaled) const {
  ResultTable table{.name = "columns", .title = "columns"};
  ResultColumn::Words names, cells;
  ResultColumn::Numbers from, to, weights;
  bool ends = false;
  for (Index j = 0; j < columns(); ++j) {
    const HistogramColumn& of = column(j);
    const double scale = scaled.scale_of(j), centre = scaled.centre_of(j);
    double low = NAN, high = NAN;
    if (of.kind != Kind::kCategories) {
      low = of.low() * scale + centre;
      high = of.high() * scale + centre;
      if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
      ends = true;
    }
    names.push_back(schema.name(j));
    cells.push_back(cells_in_words(of));
    from.push_back(low);
    to.push_back(high);
    weights.push_back(of.weight());
  }
  table.add_words("column", std::move(names));
  table.add_words("cells", std::move(cells));
  if (ends) table.add_numbers("from", std::move(from)).lacks = true;
  if (ends) table.add_numbers("to", std::move(to)).lacks = true;
  table.add_numbers("weight", std::move(weights));
  return std::vector{table};
}

// Every cell, a row each.
std::vector<ResultTable> HistogramDensity::more_tables(const Schema& schema) const {
  ResultTable table{.name = "cells", .title = "cells"};
  ResultColumn::Words names, cells;
  ResultColumn::Numbers weights, shares, densities;
  for (Index j = 0; j < columns(); ++j) {
    const Column of = schema.column(j);
    for (Index k = 0; k < column(j).cells(); ++k) {
      names.push_back(of.name);
      cells.push_back(cell_name(column(j), k, of));
      weights.push_back(column(j).counts[usize(k)]);
      shares.push_back(probability(j, k));
      densities.push_back(std::exp(log_density_[usize(j)][usize(k)]));
    }
  }
  table.add_words("column", std::move(names));
  table.add_words("cell", std::move(cells));
  table.add_numbers("weight", std::move(weights));
  table.add_numbers("probability", std::move(shares));
  table.add_numbers("density", std::move(densities));
  return {table};
}

const Usage HistogramDensity::kUsage{
    .example = "examples/data/islands.csv --bins fd -o islands.craton",
    .python = R"(
>>> from craton import Histogram
>>> X = [[0], [1], [1], [4]]
>>> model = Histogram(bins=4).fit(X)
>>> model.edges_[0].tolist(), model.counts_[0].tolist()
([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 0.0, 1.0])
>>> model.score_samples([[1.5], [9]]).round(6).tolist()
[-0.693147, -inf]
)",
    .small = "bins=80; low=-20; high=20",
    .positional = 1};

template ModelInfo registered<HistogramDensity>();

}  // namespace craton
