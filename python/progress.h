#pragma once
#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <utility>

#include "craton/base/error.h"
#include "craton/engine/exec.h"

namespace craton {

namespace nb = nanobind;

// Lets Python's signal handlers run while work is under way: Ctrl-C raises KeyboardInterrupt, and
// what a handler or the callback raises stops the work and leaves as it came.
class PythonProgress final : public Progress {
 public:
  explicit PythonProgress(nb::object callback) : callback_(std::move(callback)) {}

  void iteration(Index done, Index, double objective) override {
    if (callback_.is_none() || error_) return;
    const nb::gil_scoped_acquire lock;
    try {
      callback_(done, objective);
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
    }
  }

  bool keep_going() override {
    if (error_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return true;
    next_ = now + kInterval;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) error_.emplace();
    return !error_;
  }

  void rethrow() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  // Short for a person who waits, long against the cost of taking the lock.
  static constexpr std::chrono::milliseconds kInterval{50};

  nb::object callback_;
  std::optional<nb::python_error> error_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
};

// f(exec), without the interpreter lock.
template <class F>
void work(int n_jobs, nb::object callback, const F& f) {
  PythonProgress progress(std::move(callback));
  try {
    const nb::gil_scoped_release unlocked;
    f(Exec{.threads = n_jobs, .comm = nullptr, .progress = &progress});
  } catch (const Interrupted&) {  // progress knows why
  }
  progress.rethrow();
}

}  // namespace craton
