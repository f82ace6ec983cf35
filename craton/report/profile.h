#pragma once
#include <vector>

#include "craton/base/result_table.h"
#include "craton/model/registry.h"

// What the groups are that a model puts rows into, whatever it learned: clusters, components of a
// mixture, classes; of the rows given, in their own units. All of it is counted from these rows and
// the labels that the model gives them.
//
// What sets a group apart in a column is the standardised difference from the rows of all others,
//
//   d = (mean - mean of the rest) / s,  s^2 the pooled variance within the two,
//   error(d)^2 = (n + m) / (n m) + d^2 / (2 (n + m))      (Hedges and Olkin, "Statistical methods
//                                                          for meta-analysis", 1985)
//
// of n rows and m others; of a level of a category the same, its rows counted as 1 and others as 0.
// A group is named by its two loudest columns, of those whose |d| is above twice its error. Its
// most typical rows are those with the greatest log p(row, label); without a density the nearest to
// the centre, else those that the model is surest of.

namespace craton {

struct ProfileOptions {
  Index differences = 5;  // a group, the loudest; 0: all
  Index typical = 3;      // rows a group
};

struct Profile {
  ResultTable groups;       // group, rows, share, name
  ResultTable means;        // of each column, with standard deviations; the top words of categories
  ResultTable medians;      // of columns of numbers. Not of sparse rows
  ResultTable differences;  // group, column, here, rest, difference, error
  ResultTable typical;      // group, row, line, and its values

  std::vector<ResultTable> tables() const;  // those that have something to say
};

// InputError (kNotAble) of a model without labels; (kNoRows) when there are none.
Profile find_profile(const Fitted& fitted, Source& x, const Exec& exec,
                     const ProfileOptions& options = {});

}  // namespace craton
