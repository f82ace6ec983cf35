#pragma once
#include <cstdint>
#include <vector>

#include "craton/base/report.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

namespace craton {

// What the rows that a mixture is fitted to have.
struct RowsSeen {
  Index rows = 0, labelled = 0;   // of positive weight
  double weight = 0;              // of all of them
  std::uint64_t hash = 0;         // of rows, weights and labels, in any order
  std::vector<double> weight_of;  // of the rows of each label
};

// One pass. InputError for no rows, a weight that makes no sense, or a value that is infinite.
RowsSeen check_rows(Source& x, const Exec& exec);

// The number of labels, each of which some row must have: InputError (kBadTarget) otherwise. A note
// where another number of components was asked for.
Index check_labels(const Source& x, const RowsSeen& seen, Index n_components,
                   std::vector<Note>& notes);
// InputError (kTooFewRows) for more components than rows.
void check_size(const Source& x, const RowsSeen& seen, Index n_components);
// "10 starts gave 3 different optima (the best, -1.52, was found 6 times)", if they are several.
void note_optima(const std::vector<double>& found, double best, std::vector<Note>& notes);

}  // namespace craton
