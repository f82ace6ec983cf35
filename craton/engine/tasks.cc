#include "craton/engine/tasks.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>

#include "craton/base/error.h"
#include "craton/engine/workers.h"

namespace craton {
namespace {

class Queue {
 public:
  Queue(Index first, Index last) : next_(first), last_(last) {}

  // The next task, prepared; false when there is none.
  bool take(Task& task, FunctionRef<bool(Task)> prepare) {
    const std::lock_guard lock(mutex_);
    if (failure_.error || next_ == last_) return false;
    task.number = next_;
    try {
      if (prepare(task)) {
        ++next_;
      } else {
        next_ = last_;
        return false;
      }
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

// Whether the calling thread, worker 0, has been left alone. A thread that was woken may have to
// wait behind the one that woke it, for a few milliseconds, while other cores are idle; most fits
// of small tables take no longer.
class Company {
 public:
  explicit Company(int workers) : alone_(workers > 1) {}
  void join() { alone_ = false; }
  void make_way() {
    if (made_way_ || !alone_ || Clock::now() - since_ < kPatience) return;
    made_way_ = true;
    step_aside();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kPatience{300};

  std::atomic<bool> alone_;
  bool made_way_ = false;
  Clock::time_point since_ = Clock::now();
};

// `total` is told to the progress; -1: not known. Worker 0 is the calling thread.
Failure work_off(Queue& queue, int workers, Index total, const Exec& exec,
                 FunctionRef<bool(Task)> prepare, FunctionRef<void(Task)> run) {
  std::atomic<Index> done = 0;
  Company company(workers);
  const auto work = [&](int worker) {
    if (worker != 0) company.join();
    Task task{.worker = worker};
    while (queue.take(task, prepare)) {
      try {
        run(task);
        ++done;
        if (worker != 0) continue;
        company.make_way();
        if (exec.progress == nullptr) continue;
        if (total >= 0) exec.progress->rows(done, total);
        if (!exec.progress->keep_going()) throw Interrupted();
      } catch (...) {
        queue.fail(task.number);
      }
    }
  };
  run_workers(workers, work);
  Failure failure = queue.failure();
  // The others may have left nothing for the calling thread, which is the one that asks.
  if (!failure.error && exec.progress != nullptr && !exec.progress->keep_going()) {
    failure = {std::numeric_limits<Index>::max(), std::make_exception_ptr(Interrupted())};
  }
  return failure;
}

}  // namespace

void rethrow(const Failure& failure) {
  if (failure.error) std::rethrow_exception(failure.error);
}

Failure run_tasks(Index first, Index last, const Exec& exec, FunctionRef<void(Task)> prepare,
                  FunctionRef<void(Task)> run) {
  Queue queue(first, last);
  const auto prepare_next = [&](Task task) {
    prepare(task);
    return true;
  };
  const Index workers = std::min<Index>(worker_count(exec), std::max<Index>(1, last - first));
  return work_off(queue, static_cast<int>(workers), last - first, exec, prepare_next, run);
}

Failure run_until(int workers, const Exec& exec, FunctionRef<bool(Task)> prepare,
                  FunctionRef<void(Task)> run) {
  Queue queue(0, std::numeric_limits<Index>::max());
  return work_off(queue, workers, -1, exec, prepare, run);
}

}  // namespace craton
