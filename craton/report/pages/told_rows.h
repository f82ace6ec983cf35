#pragma once
#include <optional>
#include <string>
#include <vector>

#include "craton/model/registry.h"
#include "craton/report/confusion.h"
#include "craton/select/cross_validation.h"

// What a model says of rows, beside what is true of them: of rows that it has learned from, or of
// each when it was held out. Tables for people to look at mistakes by.

namespace craton {

struct ToldRows {
  Schema schema;                                        // of the rows
  std::vector<std::int32_t> truth = {}, told = {};      // labels; -1: none
  Array proba = {};                                     // rows x labels; empty: not known
  std::vector<double> true_numbers = {}, numbers = {};  // of models of numbers; NaN: none
  std::vector<double> weights = {};                     // none: all are 1

  Index rows() const { return labelled() ? ssize(told) : ssize(numbers); }
  bool labelled() const { return !told.empty(); }
};

// None where the rows have neither labels nor numbers, or the model learns from none.
std::optional<ToldRows> tell_rows(const Fitted& fitted, Source& x, const Exec& exec);
ToldRows tell_rows(Source& x, Predictions held_out, const Exec& exec);  // (cross_validation.h)

Confusion find_confusion(const ToldRows& rows);  // requires labels

// A row of a table for each of these: its line in the file, or, where no lines are known, its
// number, counted from 0, and the values of these columns; at most so many columns of them.
ResultTable values_of_rows(Source& x, std::span<const Index> rows, std::span<const Index> columns,
                           Index most_columns);

// The rows that were taken for something else, the surest mistake first; of numbers those that lie
// farthest from what was told. At most so many.
std::vector<Index> mistaken_rows(const ToldRows& rows, Index most);
Index count_mistakes(const ToldRows& rows);

// Those rows, with what they are and what was said: the target, "taken for", "p" and "p of the true
// one"; of numbers the target, "predicted" and "residual"; then the columns.
ResultTable mistakes_table(const ToldRows& rows, Source& x, std::span<const Index> which,
                           std::span<const Index> columns, Index most_columns);

// How often the label that was told is right, by how sure the model was of it: a row for each tenth
// that has any, with the mean of p(label), the share of rows that are right, from and to where that
// lies with 95 % (Wilson, 1927), and how many they are. requires probabilities
ResultTable calibration_table(const ToldRows& rows);
// sum over those of rows / n |share right - mean p|: the expected calibration error.
double calibration_error(const ResultTable& calibration);

}  // namespace craton
