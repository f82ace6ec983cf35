#pragma once
#include <memory>

#include "craton/base/source.h"
#include "craton/engine/exec.h"
#include "craton/text/text_step.h"

// Rows of terms on disk. A table of texts that does not lie in memory is counted once, into scratch
// space; the passes of a fit then read rows of numbers, where they would find the same words in the
// same texts again.

namespace craton {

// The rows that `step` makes of x, in the folder that x keeps its own in. Labels, targets and
// weights stay in memory; columns beside the texts where they are. Borrows x. requires a step that
// makes sparse rows.
std::unique_ptr<Source> spooled_rows(const TextStep& step, Source& x, const Exec& exec);

}  // namespace craton
