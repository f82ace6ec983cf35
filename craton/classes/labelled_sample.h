#pragma once
#include <vector>

#include "craton/core/exec.h"
#include "craton/core/source.h"

// Labelled rows to choose by: all of a small table, some of a large one, in memory.

namespace craton {

struct LabelledSample {
  Array x;
  std::vector<std::int32_t> labels;
  std::vector<double> weights;

  Index rows() const { return std::ssize(labels); }
  MemorySource source(const Schema& schema) const;
};

// Rows with a label and a weight, in their order; of more than `size`, about as many, by a hash of
// their numbers. One pass.
LabelledSample draw_labelled(Source& x, Index size, const Exec& exec);

}  // namespace craton
