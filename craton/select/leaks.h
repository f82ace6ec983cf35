#pragma once
#include <string>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// Columns that a person may not have meant to learn from: one that tells the target by itself,
// which is often a later consequence of it or the target again under another name, and one that
// only says which row it is.

namespace craton {

struct Leak {
  enum class Kind { kAnswer, kRowNumber, kIdentifier };
  std::string column;
  Kind kind;
  double told = 0;  // of the answer: see below
};

// How much of the target y a column tells by itself, each row guessed from the others: the
// commonest label, or the mean, of those of the same value, or else of the nearest one (of numbers,
// on both sides),
//
//   told = 1 - errors / errors of guessing,
//
// errors the rows whose label is wrong, or the sum of squares. 0.98 of labels, or 0.999 of numbers,
// gives the answer away; rows must be 30 at least, and 10 not of the commonest label.
//
// A column of whole numbers that are all different says which row it is: if they rise, or nearly
// always do, or if its name ends in "id". At most 10 000 rows are looked at, evenly spread, of a
// table in memory, with dense rows and up to 20 000 columns; of others nothing is said.
std::vector<Leak> find_leaks(Source& x, const Exec& exec);

// "the column 'x' by itself tells 99.7 % of 'y': ..."
Note note_of(const Leak& leak, const Schema& schema);

}  // namespace craton
