#pragma once
#include <exception>

#include "craton/base/function_ref.h"
#include "craton/base/matrix.h"
#include "craton/engine/exec.h"

// What fold and for_each are made of: numbered tasks, handed out in ascending order.

namespace craton {

struct Failure {
  Index task = -1;
  std::exception_ptr error;  // null: all went well
};
void rethrow(const Failure& failure);  // if there is one

struct Task {
  Index number = 0;
  int worker = 0;
};

// For each task number in [first, last): `prepare` runs for one task at a time, in ascending order;
// `run` then runs beside those of other workers. After a failure no new task is started. Since the
// numbers ascend, the failure returned is that of the lowest failing task, on any number of
// workers.
Failure run_tasks(Index first, Index last, const Exec& exec, FunctionRef<void(Task)> prepare,
                  FunctionRef<void(Task)> run);

// The same for work whose end shows only on the way: tasks 0, 1, ... for as long as `prepare` says
// that there is one, on at most `workers` workers.
Failure run_until(int workers, const Exec& exec, FunctionRef<bool(Task)> prepare,
                  FunctionRef<void(Task)> run);

}  // namespace craton
