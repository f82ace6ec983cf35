#pragma once
#include "craton/base/function_ref.h"
#include "craton/base/source.h"
#include "craton/engine/exec.h"

// The second of the two parallel primitives (fold.h has the first). Ranks do not share the tasks:
// every rank runs all of them. The lowest failing task's error is thrown, on the rank where it is;
// agree.h brings it to the others.

namespace craton {

// Task i, for i in [0, count), writes only its own output.
void for_each(Index count, const Exec& exec, FunctionRef<void(Index)> task);

// The same over chunks of rows: each chunk's task writes only what belongs to its own rows.
void for_rows(Source& x, const Exec& exec, FunctionRef<void(const Chunk&)> task);

}  // namespace craton
