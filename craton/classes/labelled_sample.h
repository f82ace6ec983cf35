#pragma once
#include <optional>
#include <vector>

#include "craton/base/source.h"
#include "craton/engine/exec.h"

// Labelled rows to choose by: all of a small table, some of a large one, in memory.

namespace craton {

struct LabelledSample {
  Array x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights;
  SparseArray inner = {};  // terms inside of the rows, of draw_by_values() and distinct_rows()

  Index rows() const { return std::ssize(labels); }
  MemorySource source(const Schema& schema) const;  // with the inner table if the schema has one
  Chunk chunk(const Schema& schema, std::vector<Inner>& room) const;  // without labels and weights
};

// Rows with a label and a weight, in their order; of more than `size`, about as many, by a hash of
// their numbers. One pass.
LabelledSample draw_labelled(Source& x, Index size, const Exec& exec);

// Rows with a weight, whether they have a label or not (-1), in the order of a hash of their
// values; of more than `size`, about as many, by that hash. Those of one value are one row: neither
// the order of rows, nor weights for repeats, matter.
LabelledSample draw_by_values(Source& x, Index size, const Exec& exec);

// All of these, where the table has few for its size, as tables of counts and categories do;
// nothing otherwise. One pass, and none where the first rows differ.
std::optional<LabelledSample> distinct_rows(Source& x, const Exec& exec);

}  // namespace craton
