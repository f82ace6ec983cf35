#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "craton/density/histogram_cells.h"
#include "craton/model/registry.h"

// Histograms and frequency tables: p(row) = prod_j p_j(x_j), where column j is cut into cells, of
// which cell k holds c_jk of the rows by weight. With W_j = sum_k c_jk and m_j cells
//
//   p(cell k) = (c_jk + alpha) / (W_j + alpha m_j)
//
// and p_j(x) is that of the cell of x: as it is for categories, and for whole numbers that have a
// cell each (a multinomial estimate, and its posterior mean under a Dirichlet prior); divided by
// the width of the cell where that is a bin from e_k up to e_k+1. bin_rules.h says how many bins
// there are; the last one has its end. Outside of all cells p is 0.
//
// Cells are learned from rows, or given. Given ones stay what they are, so that counts are all that
// more rows change: models merge, learn on and unlearn. Those of a rule would be others then.

namespace craton {

class HistogramDensity {
 public:
  static constexpr std::string_view kName = "histogram";
  static constexpr std::string_view kPythonName = "Histogram";
  static constexpr std::string_view kHelp = "a histogram or frequency table of each column";
  static constexpr std::string_view kObjective = "mean log density";
  static constexpr TargetKind kTarget = TargetKind::kNone;
  static constexpr ScoreKind kScore = ScoreKind::kLogDensity;
  static const Usage kUsage;
  static constexpr bool kTakesCategories = true;

  struct Options {
    CellOptions cells;
    double alpha = 0;
  };

  static Fit<HistogramDensity> fit(Source& x, const Options& options, const Exec& exec);
  // InputError (kNotAble) where the cells are of a rule.
  static Fit<HistogramDensity> partial_fit(const Fit<HistogramDensity>& so_far, Source& x,
                                           const Options& options, const Exec& exec);
  static Fit<HistogramDensity> unlearn(const Fit<HistogramDensity>& so_far, Source& x,
                                       const Options& options, const Exec& exec);
  static Fit<HistogramDensity> merge(const Fit<HistogramDensity>& a, const Fit<HistogramDensity>& b,
                                     const Options& options);

  Index columns() const { return ssize(columns_); }
  const HistogramColumn& column(Index j) const { return columns_[usize(j)]; }
  double density(Index column, double x) const;  // log p_j(x)
  // The probability of at most x in a column, and the least x of which that is at least p.
  double cdf(Index column, double x) const;
  double quantile(Index column, double p) const;

  void score_samples(Source& x, std::span<double> log_density, const Exec& exec) const;
  Index row_work() const { return 0; }
  double score_row(const double* row, double* work) const;  // registry.h
  // 0, then log p of each column: registry.h. The label is 0.
  void contributions(const Chunk& chunk, Index row, Index label, std::span<double> out) const;
  double score(Source& x, const Exec& exec) const;
  Sample sample(Index rows, std::uint64_t seed) const;
  Index free_parameters(const Options& options) const;  // one less than the cells of each column

  void visit_parameters(ParameterVisitor& v) const;
  static HistogramDensity from_parameters(const ParameterList& parameters);
  std::vector<ResultTable> tables(const Schema& schema) const;
  std::vector<ResultTable> more_tables(const Schema& schema) const;
  std::optional<std::vector<ResultTable>> tables_before(const Schema& schema,
                                                        const Affine& scaled) const;

 private:
  HistogramDensity(std::vector<HistogramColumn> columns, double alpha);
  static Fit<HistogramDensity> fitted(std::vector<HistogramColumn> columns, double alpha,
                                      std::vector<Note> notes, std::uint64_t data_hash);
  double probability(Index column, Index cell) const;

  std::vector<HistogramColumn> columns_;
  double alpha_;
  std::vector<double> totals_;                    // the weight of each column, and its alpha
  std::vector<std::vector<double>> log_density_;  // of each cell
  std::vector<std::vector<double>> up_to_;        // probability of the cells up to each
};

void describe(OptionVisitor& v, HistogramDensity::Options& o);

}  // namespace craton
