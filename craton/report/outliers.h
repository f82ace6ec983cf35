#pragma once
#include <string>
#include <vector>

#include "craton/report/row_scores.h"
#include "craton/select/trimmed_fit.h"

namespace craton {

// The strange rows of a table, held against a model that they did not bend (trimmed_fit.h).
struct Outliers {
  TrimmedFit fit;
  RowScores scores = {};
  Index few = 0;                 // rows with a tail probability below TrimOptions::strange
  double by_chance = 0;          // as many rows of the model itself would have one
  std::vector<Note> notes = {};  // what was left out, or looked at in part

  // "1 component (gmm), fitted without 14 of 75 rows", "14 of 75 rows ...".
  std::string model_text() const, count_text() const;
  ResultTable rows(const Source& x) const;                   // as row_score_table() has them
  ResultTable strangest(const Source& x, Index most) const;  // as strangest_rows() does
};

struct OutlierOptions {
  TrimOptions trim = {};
  RowScoreOptions scores = {};
};

// Of all columns of numbers and categories. InputError as fit_trimmed() has it.
Outliers find_outliers(Source& x, const Exec& exec, const OutlierOptions& options = {});

}  // namespace craton
