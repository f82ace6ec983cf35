#include "craton/core/tasks.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "craton/core/error.h"
#include "craton/core/workers.h"

namespace craton {
namespace {

class Queue {
 public:
  Queue(Index first, Index last) : next_(first), last_(last) {}

  // The next task, prepared; its number is `last_` when there is none.
  bool take(Task& task, FunctionRef<void(Task)> prepare) {
    const std::lock_guard lock(mutex_);
    if (failure_.error || next_ == last_) return false;
    task.number = next_++;
    try {
      prepare(task);
    } catch (...) {
      fail_locked(task.number);
      return false;
    }
    return true;
  }

  void fail(Index task) {
    const std::lock_guard lock(mutex_);
    fail_locked(task);
  }

  Failure failure() const { return failure_; }  // after the workers are done

 private:
  void fail_locked(Index task) {
    if (!failure_.error || task < failure_.task) failure_ = {task, std::current_exception()};
  }

  std::mutex mutex_;
  Index next_;
  const Index last_;
  Failure failure_;
};

}  // namespace

Failure run_tasks(Index first, Index last, const Exec& exec, FunctionRef<void(Task)> prepare,
                  FunctionRef<void(Task)> run) {
  Queue queue(first, last);
  std::atomic<Index> done = 0;
  const auto work = [&](int worker) {
    Task task{.worker = worker};
    while (queue.take(task, prepare)) {
      try {
        run(task);
        ++done;
        // Worker 0 is the calling thread.
        if (worker != 0 || exec.progress == nullptr) continue;
        exec.progress->rows(done, last - first);
        if (!exec.progress->keep_going()) throw Interrupted();
      } catch (...) {
        queue.fail(task.number);
      }
    }
  };
  const Index tasks = std::max<Index>(1, last - first);
  run_workers(static_cast<int>(std::min<Index>(worker_count(exec), tasks)), work);
  return queue.failure();
}

}  // namespace craton
