#include "craton/engine/workers.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace craton;

TEST_CASE("every worker is called once, and worker 0 on the calling thread") {
  for (const int n : {1, 2, 3, 7}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(n));
    std::thread::id of_zero;
    run_workers(n, [&](int i) {
      ++calls[static_cast<std::size_t>(i)];
      if (i == 0) of_zero = std::this_thread::get_id();
    });
    for (const auto& count : calls) CHECK(count == 1);
    CHECK(of_zero == std::this_thread::get_id());
  }
}

// Each worker waits until all the others are there: that many really run at once, on threads of
// their own, also on a machine with fewer cores.
TEST_CASE("2, 3 and 7 workers meet") {
  for (const int n : {2, 3, 7}) {
    std::mutex mutex;
    std::condition_variable all_here;
    std::set<std::thread::id> threads;
    std::atomic<int> met = 0;
    run_workers(n, [&](int) {
      std::unique_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
      all_here.notify_all();
      const bool together = all_here.wait_for(lock, std::chrono::seconds(30), [&] {
        return threads.size() == static_cast<std::size_t>(n);
      });
      if (together) ++met;
    });
    CHECK(met == n);
  }
}

TEST_CASE("a thread that steps aside may run where it could before") {
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
  step_aside();
  REQUIRE(sched_getaffinity(0, sizeof(after), &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));
}
