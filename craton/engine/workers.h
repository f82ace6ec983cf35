#pragma once
#include "craton/base/function_ref.h"

namespace craton {

int hardware_threads();  // the cores this process may run on, at least 1

// Calls f(0), ..., f(n - 1), each on a thread of its own where the machine gives one; f(0) runs on
// the calling thread. Workers share work among themselves, so that a worker that starts late or
// never (after fork) costs time and not correctness. f must not throw.
void run_workers(int n, FunctionRef<void(int)> f);

// Moves the calling thread to another core, if there is one.
void step_aside();

}  // namespace craton
