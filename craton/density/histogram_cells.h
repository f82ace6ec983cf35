#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/density/bin_rules.h"
#include "craton/engine/exec.h"

// The cells that columns are cut into, and the weight of the rows in each.

namespace craton {

struct HistogramColumn {
  enum class Kind : std::int8_t { kRuled, kGiven, kValues, kCategories };
  Kind kind = Kind::kRuled;
  std::vector<double> edges = {};  // of bins: one more than there are cells
  double first = 0;                // of values and codes: that of the first cell
  std::vector<double> counts = {};

  bool bins() const { return kind == Kind::kRuled || kind == Kind::kGiven; }
  Index cells() const { return ssize(counts); }
  double low() const { return bins() ? edges.front() : first; }
  double high() const { return bins() ? edges.back() : first + static_cast<double>(cells() - 1); }
  double width(Index cell) const {  // 1 of what is no bin
    return bins() ? edges[usize(cell) + 1] - edges[usize(cell)] : 1;
  }
  Index cell_of(double x) const;  // -1: none
  double weight() const;
};

struct CellOptions {
  enum class End { kData, kNumber };
  BinRule bins = BinRule::kAuto;
  double number_of_bins = 10;  // of kNumber
  End low = End::kData, high = End::kData;
  double given_low = 0, given_high = 1;  // of kNumber
  Array edges = {};
};

inline constexpr double kMostCells = 1 << 20;  // of a column

// InputError (kBadOption) for options that contradict each other, and edges that do not ascend.
void check_cells(const CellOptions& options);

// Cells for a table that check_table() passed, of weight n, and nothing in them.
std::vector<HistogramColumn> find_cells(Source& x, const CellOptions& options, double n,
                                        const Exec& exec);

// Adds the rows of x. What lies outside of all bins is left aside, and noted; InputError
// (kOutsideSupport) for what is no whole number where each has a cell.
void count_rows(std::vector<HistogramColumn>& columns, Source& x, std::vector<Note>& notes,
                const Exec& exec);

// InputError (kNotAble) where bins were found by the rows that were counted: those of more rows
// would be others.
void check_given(const std::vector<HistogramColumn>& columns, const Schema& schema);

// The rows of x in the same cells, and in those of whole numbers that they need besides.
std::vector<HistogramColumn> counts_like(const std::vector<HistogramColumn>& columns, Source& x,
                                         std::vector<Note>& notes, const Exec& exec);

// InputError (kWrongColumns) where cells are not the same; for less, kBadTarget where there is less
// than is to be taken away.
void add_counts(HistogramColumn& to, const HistogramColumn& more, const Place& place);
void subtract_counts(HistogramColumn& from, const HistogramColumn& less);

// InputError where no row is in any cell, or all weigh more than fits take.
void check_total(const HistogramColumn& column, const Place& place);

Place place_of_column(const Source& x, Index column);

}  // namespace craton
