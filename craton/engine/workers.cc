#include "craton/engine/workers.h"

#include <sched.h>

#include <algorithm>

#ifdef CRATON_STD_THREADS
#include <thread>
#include <vector>
#else
#include <pthread.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#endif

namespace craton {

int hardware_threads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

void step_aside() {
  const int here = sched_getcpu();
  cpu_set_t all;
  if (here < 0 || sched_getaffinity(0, sizeof(all), &all) != 0) return;
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  if (CPU_COUNT(&others) == 0) return;
  if (sched_setaffinity(0, sizeof(others), &others) == 0) sched_setaffinity(0, sizeof(all), &all);
}

#ifdef CRATON_STD_THREADS

void run_workers(int n, FunctionRef<void(int)> f) {
  std::vector<std::jthread> others;
  for (int i = 1; i < n; ++i) others.emplace_back([f, i] { f(i); });
  f(0);
}

#else

namespace {

// A forked child has none of its parent's threads, but the locks that oneTBB held at that moment:
// it works alone, once its parent has begun to use these.
std::atomic<bool> started = false, orphaned = false;
void orphan() { orphaned = started.load(); }

}  // namespace

void run_workers(int n, FunctionRef<void(int)> f) {
  if (n <= 1) return f(0);
  static const int hook = pthread_atfork(nullptr, nullptr, orphan);
  if (orphaned || hook != 0) {
    for (int i = 0; i < n; ++i) f(i);
    return;
  }
  started = true;
  // oneTBB keeps to the number of cores unless told otherwise; `threads` is a promise.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(std::max(n, hardware_threads())));
  tbb::task_arena arena(n, 1);
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 1; i < n; ++i) group.run([f, i] { f(i); });
    f(0);
    group.wait();
  });
}

#endif

}  // namespace craton
