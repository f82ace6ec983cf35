#include "craton/density/histogram_cells.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "craton/base/error.h"
#include "craton/density/density_passes.h"
#include "craton/engine/fold.h"
#include "craton/tables/columns.h"

// One pass counts: O(rows x columns x log(cells)).

namespace craton {
namespace {

using Kind = HistogramColumn::Kind;
using AllColumns = std::vector<HistogramColumn>;

constexpr double kCountRounding = 1e-12;  // of sums of weights in one order and another

}  // namespace

Index HistogramColumn::cell_of(double x) const {
  if (bins()) return bin_of(edges, x);
  const double cell = x - first;
  const bool whole = x == std::floor(x);
  return whole && cell >= 0 && cell < static_cast<double>(cells()) ? static_cast<Index>(cell) : -1;
}

double HistogramColumn::weight() const {
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

Place place_of_column(const Source& x, Index column) {
  return {.file = x.name(), .column = x.schema().name(column)};
}

namespace {

// The weight of the rows in each cell of each column.
class CellCounts {
 public:
  CellCounts(const AllColumns& columns, const Source& x)
      : outside(columns.size()), columns_(&columns), source_(&x) {
    for (const HistogramColumn& column : columns) {
      first_.push_back(counts.size());
      counts.resize(counts.size() + column.counts.size());
    }
  }
  void accumulate(const Chunk& chunk) {
    for (std::size_t j = 0; j < columns_->size(); ++j) {
      const HistogramColumn& column = (*columns_)[j];
      copy_column(chunk.x, static_cast<Index>(j), values_);
      for (Index i = 0; i < chunk.rows(); ++i) {
        const double w = chunk.weight(i), value = values_[usize(i)];
        if (w == 0) continue;
        const Index cell = column.cell_of(value);
        if (cell >= 0) {
          counts[first_[j] + usize(cell)] += w;
        } else {
          outside[j] += w;
          if (column.kind == Kind::kValues) refuse(value, chunk.first_row + i, j);
        }
      }
    }
  }
  void merge(const CellCounts& next) {
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += next.counts[k];
    for (std::size_t j = 0; j < outside.size(); ++j) outside[j] += next.outside[j];
  }
  void write(Writer& writer) const {
    writer.put(counts);
    writer.put(outside);
  }
  void read(Reader& reader) {
    reader.get(counts);
    reader.get(outside);
  }
  Index words() const { return ssize(counts) + ssize(outside); }
  Merge merge_kind() const { return Merge::kTree; }

  std::span<const double> of(std::size_t j) const {
    return {counts.data() + first_[j], (*columns_)[j].counts.size()};
  }

  std::vector<double> counts, outside;

 private:
  [[noreturn]] void refuse(double value, Index row, std::size_t column) const {
    throw InputError(
        Code::kOutsideSupport, source_->place_of(row, static_cast<Index>(column)),
        {"{} is for whole numbers, and the value is {}", Ref::option("bins", "values"), value},
        {"Leave the column out, or give another {}.", Ref::option("bins")});
  }

  const AllColumns* columns_;  // the caller's, for one pass, as is the source
  const Source* source_;
  std::vector<std::size_t> first_;
  std::vector<double> values_;
};

}  // namespace

void count_rows(AllColumns& columns, Source& x, std::vector<Note>& notes, const Exec& exec) {
  const CellCounts found = fold(x, CellCounts(columns, x), exec);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const std::span<const double> more = found.of(j);
    for (std::size_t k = 0; k < more.size(); ++k) columns[j].counts[k] += more[k];
    if (found.outside[j] == 0) continue;
    notes.push_back({"outside-bins",
                     {"{}: {} of the rows, by weight, lie outside the bins and are not counted",
                      Ref::column(x.schema().name(static_cast<Index>(j))),
                      fmt::format("{:.6g}", found.outside[j])}});
  }
}

void check_cells(const CellOptions& o) {
  using End = CellOptions::End;
  const bool ends = o.low == End::kNumber || o.high == End::kNumber;
  if (o.bins == BinRule::kNumber && o.number_of_bins != std::floor(o.number_of_bins)) {
    throw InputError(Code::kBadOption, {},
                     {"{} is not a whole number", Ref::option("bins", o.number_of_bins)},
                     "Give a number of bins, or a rule for it.");
  }
  if (ends && o.bins != BinRule::kNumber) {
    throw InputError(
        Code::kBadOption, {},
        {"{} and {} are the ends of a number of bins", Ref::option("low"), Ref::option("high")},
        {"Give such a number, as {}.", Ref::option("bins", 10)});
  }
  if (o.edges.empty()) return;
  if (ends || o.bins != BinRule::kAuto) {
    throw InputError(
        Code::kBadOption, {},
        {"{} says where all bins are, and {}, {} and {} do so too", Ref::option("edges"),
         Ref::option("bins"), Ref::option("low"), Ref::option("high")},
        "Give one or the other.");
  }
  const std::vector<double>& edges = o.edges.values;
  if (are_edges(edges) && static_cast<double>(edges.size()) <= kMostCells) return;
  throw InputError(Code::kBadOption, {}, {"{} are not the ends of bins", Ref::option("edges")},
                   "Give two or more numbers, each greater than the one before.");
}

namespace {

Index cells_for(double bins, const BinnedColumn& of, BinRule rule, const Place& place) {
  if (bins <= kMostCells) return static_cast<Index>(bins);
  throw InputError(
      Code::kBadOption, place,
      {"{} makes {} bins of the values from {} to {}", Ref::option("bins", name_of(rule)),
       fmt::format("{:.3g}", bins), fmt::format("{:g}", of.low), fmt::format("{:g}", of.high)},
      {"Give {}, or a number.", Ref::option("bins", "sturges")});
}

HistogramColumn bins_between(double low, double high, Index bins, const Place& place) {
  std::vector<double> edges;
  if (low <= high) edges = equal_edges(low, high, bins);
  if (!are_edges(edges)) {
    throw InputError(Code::kNoSpread, place,
                     fmt::format("there are no {} bins from {:g} to {:g}", bins, low, high),
                     edges.empty() ? "Give ends of which the first is less."
                                   : "Give fewer bins, or subtract what all values share.");
  }
  return {.edges = std::move(edges), .counts = std::vector<double>(usize(bins))};
}

HistogramColumn values_between(double low, double high, const Place& place) {
  if (high - low < kMostCells) {
    return {.kind = Kind::kValues,
            .first = std::floor(low),
            .counts = std::vector<double>(usize(static_cast<Index>(high - low)) + 1)};
  }
  throw InputError(
      Code::kBadOption, place,
      {"{} makes more than {} cells of the values from {} to {}", Ref::option("bins", "values"),
       static_cast<Index>(kMostCells), fmt::format("{:g}", low), fmt::format("{:g}", high)},
      {"Give {}, or a number.", Ref::option("bins", "sturges")});
}

HistogramColumn category_of(const Column& column, double greatest) {
  const Index levels = std::max(ssize(column.levels), static_cast<Index>(greatest) + 1);
  return {.kind = Kind::kCategories, .counts = std::vector<double>(usize(levels))};
}

HistogramColumn numbers_in(const CellOptions& o, const BinnedColumn& of, double n,
                           const Place& place) {
  using End = CellOptions::End;
  if (!o.edges.empty()) {
    return {.kind = Kind::kGiven,
            .edges = o.edges.values,
            .counts = std::vector<double>(o.edges.values.size() - 1)};
  }
  if (o.bins == BinRule::kValues) return values_between(of.low, of.high, place);
  if (o.bins != BinRule::kNumber) {
    return bins_between(of.low, of.high, cells_for(bins_by(o.bins, of, n), of, o.bins, place),
                        place);
  }
  const bool low = o.low == End::kNumber, high = o.high == End::kNumber;
  HistogramColumn column = bins_between(low ? o.given_low : of.low, high ? o.given_high : of.high,
                                        static_cast<Index>(o.number_of_bins), place);
  if (low && high) column.kind = Kind::kGiven;
  return column;
}

}  // namespace

AllColumns find_cells(Source& x, const CellOptions& options, double n, const Exec& exec) {
  const bool by_rule =
      options.edges.empty() && options.bins != BinRule::kValues && options.bins != BinRule::kNumber;
  std::vector<BinnedColumn> of;
  if (by_rule) {
    of = binned_columns(options.bins, x, exec);
  } else {
    for (const Extent& e : find_extents(x, exec)) of.push_back({.low = e.low, .high = e.high});
  }
  AllColumns columns;
  for (Index j = 0; j < x.shape().cols; ++j) {
    const Column column = x.schema().column(j);
    columns.push_back(column.kind == ColumnKind::kCategory
                          ? category_of(column, of[usize(j)].high)
                          : numbers_in(options, of[usize(j)], n, place_of_column(x, j)));
  }
  return columns;
}

void check_given(const AllColumns& columns, const Schema& schema) {
  for (Index j = 0; j < ssize(columns); ++j) {
    if (columns[usize(j)].kind != Kind::kRuled) continue;
    throw InputError(
        Code::kNotAble, {.column = schema.name(j)},
        "its bins were found by the rows that it was fitted to, and other rows have others",
        {"Fit with {}, {} and {}, with {}, or of whole numbers with {}.", Ref::option("bins", 10),
         Ref::option("low"), Ref::option("high"), Ref::option("edges"),
         Ref::option("bins", "values")});
  }
}

namespace {

// The same cells of values, and more at either end.
HistogramColumn widened(const HistogramColumn& column, double low, double high,
                        const Place& place) {
  HistogramColumn wide =
      values_between(std::min(low, column.low()), std::max(high, column.high()), place);
  std::ranges::copy(column.counts,
                    wide.counts.begin() + static_cast<std::ptrdiff_t>(column.first - wide.first));
  return wide;
}

// Without cells of nothing at either end, as a fit has them.
void narrow(HistogramColumn& column) {
  if (column.kind != Kind::kValues) return;
  const auto some = [](double count) { return count > 0; };
  std::vector<double>& counts = column.counts;
  const auto begin = std::ranges::find_if(counts, some);
  column.first += static_cast<double>(begin - counts.begin());
  counts.erase(counts.begin(), begin);
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
}

}  // namespace

AllColumns counts_like(const AllColumns& columns, Source& x, std::vector<Note>& notes,
                       const Exec& exec) {
  check_table(x, exec);
  const std::vector<Extent> extents = find_extents(x, exec);
  AllColumns counted = columns;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::ranges::fill(counted[j].counts, 0);
    if (columns[j].kind != Kind::kValues) continue;
    counted[j] = widened(counted[j], extents[j].low, extents[j].high,
                         place_of_column(x, static_cast<Index>(j)));
  }
  count_rows(counted, x, notes, exec);
  return counted;
}

void add_counts(HistogramColumn& to, const HistogramColumn& more, const Place& place) {
  if (to.kind != more.kind || (to.bins() && to.edges != more.edges) ||
      (to.kind == Kind::kCategories && to.cells() != more.cells())) {
    throw InputError(Code::kWrongColumns, place, "the two models have other cells in it",
                     "Fit both with the same ones.");
  }
  if (to.kind == Kind::kValues) {
    to = widened(to, more.low(), more.high(), place);
  }
  const auto from = static_cast<std::size_t>(more.first - to.first);
  for (std::size_t k = 0; k < more.counts.size(); ++k) to.counts[from + k] += more.counts[k];
}

void check_total(const HistogramColumn& column, const Place& place) {
  const double weight = column.weight();
  if (weight > 0 && weight <= kHeaviest) return;
  if (weight > 0) {
    throw InputError(Code::kBadWeight, place, "all weights sum to more than any fit takes",
                     "Divide all weights by one power of ten: the result is the same.");
  }
  throw InputError(Code::kTooFewRows, place, "no row lies in any of its cells",
                   "Give bins that have some.");
}

void subtract_counts(HistogramColumn& from, const HistogramColumn& less) {
  bool seen = from.cells() == less.cells();
  for (std::size_t k = 0; seen && k < from.counts.size(); ++k) {
    double& count = from.counts[k];
    seen = less.counts[k] <= count * (1 + kCountRounding);
    count = std::max(count - less.counts[k], 0.0);
  }
  if (!seen || !(from.weight() > 0)) {
    throw InputError(Code::kBadTarget, {}, "the model has not seen all of these rows",
                     "Only rows that it was fitted on can be unlearned.");
  }
  narrow(from);
}

}  // namespace craton
