#pragma once
#include "craton/base/function_ref.h"
#include "craton/base/matrix.h"

namespace craton {

// How code that knows no threads is given some: runs task(0), ..., task(count - 1), in any order or
// at once.
using RunTasks = FunctionRef<void(Index count, FunctionRef<void(Index)> task)>;
inline constexpr auto run_in_order = [](Index count, FunctionRef<void(Index)> task) {
  for (Index i = 0; i < count; ++i) task(i);
};

}  // namespace craton
