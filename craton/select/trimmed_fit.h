#pragma once
#include <string>
#include <vector>

#include "craton/model/registry.h"

// A fit that strange rows do not bend: the strangest share of the rows is left out, and the rest is
// fitted again, until nothing changes. For one Gaussian these are the concentration steps of the
// minimum covariance determinant (Rousseeuw and Van Driessen, "A fast algorithm for the minimum
// covariance determinant estimator", 1999), for several those of TCLUST (Garcia-Escudero,
// Gordaliza, Matran and Mayo-Iscar, "A general trimming approach to robust cluster analysis",
// 2008):
//
//   repeat  score the rows; keep the (1 - trim) n of them with the greatest log p(x); fit these
//
// from many small sets of rows; the greatest sum of log p over the kept rows wins. Then rows come
// back that are not strange after all, so that the spread is that of all ordinary rows:
//
//   repeat  keep the rows whose tail probability (report/row_scores.h) is at least `strange`;
//           fit these
//
// The number of components is that with the lowest BIC of all rows, where those that are left out
// count as drawn evenly from the box around the rows (Banfield and Raftery, "Model-based Gaussian
// and non-Gaussian clustering", 1993). A component that holds less than a fifth of the rows of the
// largest is a group of strange rows, not a part of what is usual: it is taken away, and the rest
// fitted again without its rows.

namespace craton {

struct TrimOptions {
  double trim = 0.25;     // requires 0 < trim < 0.5
  double strange = 0.01;  // tail probability
  Index most_components = 5;
  Index most_rows = 20'000;  // to fit; of larger tables so many, evenly
  std::uint64_t seed = 0;
};

struct TrimmedFit {
  Fitted fitted;
  Index components = 1;
  Index rows = 0;                      // looked at
  Index left_out = 0;                  // of them
  std::vector<Index> apart = {};       // how many rows the components had that were taken away
  std::vector<std::string> same = {};  // columns left out: nearly all rows have one value
  std::vector<Index> columns = {};     // those of the table that the model sees
  std::vector<double> bic = {};        // of 1, 2, ... components; NaN: could not be fitted
};

// The model is `gmm` where all columns are numbers, else `mixture`. Missing values are filled in
// with medians. InputError (kNoRows, kNoSpread) where there is nothing to fit.
TrimmedFit fit_trimmed(Source& x, const TrimOptions& options, const Exec& exec);

}  // namespace craton
