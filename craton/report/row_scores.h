#pragma once
#include <span>
#include <string>
#include <vector>

#include "craton/base/result_table.h"
#include "craton/model/registry.h"

// Which rows of a table are strange to a model, how strange, and because of which columns.
//
// How usual a row x is: log p(x); of models without a density minus the distance from its centre,
// minus |residual| of a number, or the log probability of its own label. The least usual row has
// rank 1; of equals the first. The tail probability of a row is that a row X' of the model is as
// unusual,
//
//   P(log p(X') <= log p(x)), estimated by (1 + #{draws as unusual}) / (1 + #{draws}),
//
// which rows of the model itself have uniformly distributed, whatever the density.
//
// Reasons: what a column does is how much more usual the row would be with another value there,
//
//   gain_j(x) = max_v log p(x with x_j = v) - log p(x),
//
// over values v that the column has in draws of the model, or in the rows where it draws none. So
// all columns of all models are compared in one unit, e^gain times as probable, whatever they are
// measured in; and v is what would have suited the rest of the row. A gain below 2 is that of
// chance (twice it is about chi-squared with one degree of freedom: 4 is about its 95th
// percentile). Where a row is strange, but no column alone makes it so, because columns that go
// together are all far out, the gain of a column is z^2 / 2 instead, z its distance from the median
// of such values in standard deviations (interquartile ranges / 1.349).

namespace craton {

struct RowScoreOptions {
  Index draws = 10'000;    // fewer of wide rows, whose draws take memory
  std::uint64_t seed = 0;  // of the draws
  Index explained = 1000;  // rows to have reasons: the strangest. Fewer of wide rows
  Index most_reasons = 3;  // of a row
};

struct ColumnReason {
  Index column = 0;
  double value = 0, suits = 0;  // in the row, and what suits the others of the row
  double gain = 0;
  bool alone = false;        // the value is far out by itself: the column has nearly always
  double low = 0, high = 0;  // values between these
};

struct RowScores {
  std::string measure = {};                // "log_density", "distance", "residual" or "label"
  std::vector<double> usual = {};          // how usual each row is
  std::vector<Index> by_rank = {};         // rows, the strangest first
  std::vector<double> tails = {};          // none: the model draws no rows
  std::vector<std::int32_t> labels = {};   // none: the model gives none
  std::vector<double> probabilities = {};  // of these
  std::vector<double> predictions = {};    // of numbers
  // Of the first of by_rank, the loudest first.
  std::vector<std::vector<ColumnReason>> reasons = {};
};

// InputError (kNotAble) of a model that says nothing of rows; (kNoRows) when there are none.
RowScores find_row_scores(const Fitted& fitted, Source& x, const Exec& exec,
                          const RowScoreOptions& options = {});

// "height 57 (171 suits the rest), weight 166 (62)".
std::string reason_text(std::span<const ColumnReason> reasons, const Schema& schema);

// The rows in their order: row (its number in the file, from 0), the measure, rank,
// tail_probability, label, probability, prediction, gain (of its first reason) and because.
ResultTable row_score_table(const RowScores& scores, const Fitted& fitted, const Source& x);
// The strangest, in order of rank, with the same columns but the rank, and the line in the file.
ResultTable strangest_rows(const RowScores& scores, const Fitted& fitted, const Source& x,
                           Index most);

}  // namespace craton
